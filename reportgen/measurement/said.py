"""What models say of the user's code, asked before anything is timed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from reportgen.collect.progress import Progress
from reportgen.errors import BundleError, ReportgenError
from reportgen.measurement.record import Prediction
from reportgen.model.architecture import Architecture
from reportgen.model.cost.estimate import Estimate
from reportgen.model.cost.surveys import newest
from reportgen.runs.read import Bundle
from reportgen.runs.schema import Device
from reportgen.suite.own_code import Code
from reportgen.validation.llvm_mca import LlvmMca
from reportgen.validation.measure import model_of
from reportgen.validation.osaca import Osaca
from reportgen.validation.others import Said, Tool, ask
from reportgen.validation.record import MODEL
from reportgen.validation.subject import Subject, estimates, in_att


def subject(code: Code, text: str, constants: str) -> Subject:
    """The loop that is measured, as other models read it."""
    return Subject(
        name=code.name,
        title=code.title,
        loop=code.name,
        items=code.items,
        held_out=False,
        size=code.each * len(code.pointers),
        before="",
        body=text,
        constants=constants,
    )


def predictions(
    subjects: Sequence[Subject],
    unrolled: Mapping[str, int],
    unread: Mapping[str, str],
    *,
    model: str,
    data: Path,
    device: Device,
    tools: Sequence[Tool] | None,
    progress: Progress,
) -> tuple[str, dict[str, list[Prediction]]]:
    """The run of the model, empty where there is none, and what each predictor says of each loop.

    Args:
        subjects: the loops.
        unrolled: by name, how many rounds the text of a loop holds.
        unread: by name, why a loop has no text that others read.
        model: a run, a device, or a `model.json`; empty: the newest run of the device, if there is one.
        data: folder of the runs.
        device: on which is measured.
        tools: instead of llvm-mca and OSACA.
        progress: who shows it.

    Raises:
        UserError: the model that was named is not there, or of another device.
    """
    architecture, absent = _model(model, data, device)
    own: dict[str, Estimate] = {}
    if architecture is not None:
        progress.stage("asking the cost model", 1)
        own = estimates(subjects, architecture, _survey(data, device))
    asked = tools if tools is not None else (LlvmMca(), Osaca(device))
    others = []
    for tool in asked:
        progress.stage(f"asking {tool.name}", max(1, len(subjects)))
        others.append(_asked(tool, subjects, progress))
    found: dict[str, list[Prediction]] = {}
    for name, times in unrolled.items():
        said = own.get(name)
        first = Prediction(MODEL, target=architecture.run if architecture is not None else "")
        if said is None:
            first = Prediction(MODEL, target=first.target, fault=absent or unread.get(name, ""))
        else:
            first = _of_model(first, said, times)
        found[name] = [first, *(_of(one, name, times, unread) for one in others)]
    return architecture.run if architecture is not None else "", found


def _model(model: str, data: Path, device: Device) -> tuple[Architecture | None, str]:
    try:
        return model_of(device, model, data), ""
    except ReportgenError as error:
        if model:
            raise
        return None, str(error).partition(".")[0]


def _survey(data: Path, device: Device) -> Bundle | None:
    """What knows instructions that the suite does not ask of; one that cannot be read knows nothing."""
    try:
        return newest(data, device.id)
    except BundleError:
        return None


def _asked(tool: Tool, subjects: Sequence[Subject], progress: Progress) -> Said:
    missing = tool.missing()
    if missing:
        return Said(tool.name, absent=missing)
    try:
        return ask(tool, in_att(subjects) if subjects else [], progress.step)
    except ReportgenError as error:
        return Said(tool.name, absent=str(error))


def _of_model(first: Prediction, said: Estimate, times: int) -> Prediction:
    return Prediction(
        first.name,
        target=first.target,
        cycles=said.cycles / times,
        low=said.low / times,
        high=said.high / times,
        decides=said.decides,
        unknown=tuple(dict.fromkeys(said.unknown)),
    )


def _of(said: Said, name: str, times: int, unread: Mapping[str, str]) -> Prediction:
    cycles = said.cycles.get(name)
    fault = said.absent or said.faults.get(name, "") or unread.get(name, "")
    return Prediction(
        said.name,
        said.version,
        said.target,
        cycles=None if cycles is None else cycles / times,
        unknown=tuple(dict.fromkeys(said.unknown.get(name, ()))),
        fault=fault,
    )
