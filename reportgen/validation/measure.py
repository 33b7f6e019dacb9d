"""One validation from end to end: estimate, ask the other models, then measure and seal.

What is predicted is written down before anything is timed.
"""

from __future__ import annotations

import difflib
import fnmatch
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from reportgen.backends import registry
from reportgen.backends.base import Backend
from reportgen.collect import interruption, lock
from reportgen.collect.choosing import measurable
from reportgen.collect.progress import Progress, Silent
from reportgen.collect.runner import Interrupted, Options, Outcome, collect, correcting
from reportgen.errors import BundleError, UserError
from reportgen.model.architecture import Architecture
from reportgen.model.cost import surveys
from reportgen.model.load import load_architecture
from reportgen.runs.read import Bundle
from reportgen.runs.schema import VALIDATION, Device
from reportgen.suite.loops import FAMILY, ISA, read_loops, suite_of
from reportgen.validation.llvm_mca import LlvmMca
from reportgen.validation.osaca import Osaca
from reportgen.validation.others import Tool, ask
from reportgen.validation.subject import Subject, estimates, in_att, subject

VERB = "validate"
"""Command that makes such a run, and goes on with one."""


@dataclass(frozen=True)
class Asked:
    """What the user asked for."""

    collect: Options
    """Of the measurement; its `glob` names loops (`dot*,axpy*`)."""
    model: str = ""
    """A run, a device, or a `model.json`; empty: the newest run of the device."""
    tools: Sequence[Tool] | None = None
    """Instead of llvm-mca and OSACA."""
    loops: Path | None = None
    """Instead of the folder of the loops."""
    first: bool = False
    """Where no run of the device is there, collect one first."""


def validate(asked: Asked, progress: Progress | None = None, backend: Backend | None = None) -> Outcome:
    """Measure the loops, and seal them with what was predicted.

    Raises:
        UserError: no model of this device, a device of another instruction set, no loop of that name.
        BackendUnavailable: the device cannot be used.
        RunRefused: another run holds the device, the disk refuses, or the run to resume began elsewhere.
        Interrupted: Ctrl-C.
    """
    shown, options = progress or Silent(), asked.collect
    selector = options.selector or "cpu"
    backend = backend or registry.get(selector)
    device = measurable(
        backend,
        selector,
        ISA,
        replayed="Derive a sealed validation again with --run.",
        elsewhere="There are no loops for other instruction sets yet.",
    )
    options = correcting(options, device, VALIDATION)
    glob = _asked_before(options) if options.resume else options.glob
    suite = suite_of(read_loops(asked.loops))
    subjects = chosen(
        [
            subject(name.partition("/")[2], one.title, one.constants)
            for name, one in suite.definitions.items()
        ],
        glob,
    )
    architecture = _model(asked, device, backend, shown)
    survey = surveys.newest(options.data, device.id)
    with lock.hold(options.data / device.id, device.id):
        pass  # a folder that refuses, or another run, is told before the minutes of asking the others
    try:
        remarks = _predicted(subjects, architecture, survey, device, asked.tools, shown)
    except KeyboardInterrupt:
        shown.close()
        raise Interrupted("interrupted while predicting.", "Nothing was measured yet.") from None
    patterns = ",".join(f"{FAMILY}/{part.strip()}" for part in glob.split(","))
    options = replace(options, glob=patterns, verb=VERB, remarks=remarks)
    return collect(options, shown, backend, suite)


def _model(asked: Asked, device: Device, backend: Backend, shown: Progress) -> Architecture:
    """The model that predicts; of a whole run made for it, where that was asked for and none is there."""
    options = asked.collect
    try:
        return model_of(device, asked.model, options.data, options.selector)
    except NoModel:
        if not asked.first:
            raise
    whole = Options(data=options.data, selector=options.selector, seed=options.seed, command=options.command)
    made = collect(whole, shown, backend)
    return model_of(device, str(made.path), options.data)


class NoModel(UserError):
    """No run of the device is there whose model could predict."""


def _asked_before(options: Options) -> str:
    """The loops of the validation that was interrupted.

    Raises:
        RunRefused: there is none.
    """
    before = interruption.find(options.data, options.resume, VERB).header.probes
    return ",".join(part.removeprefix(f"{FAMILY}/") for part in before.split(","))


def chosen(subjects: Sequence[Subject], glob: str) -> list[Subject]:
    """The loops that one of the comma-separated patterns names.

    Raises:
        UserError: there is none.
    """
    patterns = [part.strip() for part in glob.split(",")]
    found = [one for one in subjects if any(fnmatch.fnmatchcase(one.name, pattern) for pattern in patterns)]
    if found:
        return found
    names = [one.name for one in subjects]
    near = difflib.get_close_matches(glob.replace("*", ""), names, n=3, cutoff=0.6)
    meant = f"Did you mean {' or '.join(near)}? " if near else ""
    raise UserError(f"no loop matches '{glob}'.", f"{meant}They are the files of validation/{ISA}.")


def model_of(device: Device, name: str, data: Path, selector: str = "") -> Architecture:
    """The model that predicts.

    Args:
        device: whose model it must be.
        name: a run, a device, a `model.json`; empty: the newest run of the device.
        data: folder of the runs.
        selector: of the device, as the user gave it, for the command that makes a run.

    Raises:
        NoModel: there is none of this device.
        UserError: it is of another one, or has no resources.
    """
    try:
        found = load_architecture(name or device.id, data)
    except BundleError:
        if name:
            raise
        where = "".join(
            f" --{key} {shlex.quote(str(value))}"
            for key, value, usual in (("device", selector, ""), ("data", data, Path("data")))
            if value != usual
        )
        raise NoModel(
            f"no run of {device.id} in '{data}', whose model could predict the loops.",
            f"'reportgen validate{where} --collect' makes one first, 'reportgen collect{where}' it alone; "
            "or name a model with --model.",
        ) from None
    if found.device != device.id:
        raise UserError(
            f"the model is of {found.device}, and this is {device.id}.", "Name a run of this device."
        )
    if found.resources is None:
        raise UserError(
            f"run {found.run} has no resource model: its interference or throughput was not measured.",
            "Make a whole run with 'reportgen collect', or name another with --model.",
        )
    return found


def _predicted(
    subjects: Sequence[Subject],
    architecture: Architecture,
    survey: Bundle | None,
    device: Device,
    tools: Sequence[Tool] | None,
    progress: Progress,
) -> dict[str, object]:
    """Kind, model, survey and predictions, as they are sealed with the run."""
    own = estimates(subjects, architecture, survey)
    asked = tools if tools is not None else (LlvmMca(), Osaca(device))
    read = in_att(subjects)
    others = []
    for tool in asked:
        progress.stage(f"asking {tool.name}", len(read))
        others.append(ask(tool, read, progress.step))
    return {
        "kind": VALIDATION,
        "model": architecture.run,
        **({"survey": survey.run.run} if survey is not None else {}),
        "estimates": {
            name: [round(value, 6) for value in (one.cycles, one.low, one.high)] for name, one in own.items()
        },
        "others": [msgspec.to_builtins(one) for one in others],
    }
