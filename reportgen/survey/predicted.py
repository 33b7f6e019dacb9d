"""A compiler's scheduling model, asked about the very bodies that a survey times.

A latency is that of the chain's steps and a rate that of the instances in turn, with what stands beside
them; the loop's counter and branch, half a percent of the quickest bodies, are left out.  OSACA is not asked:
it takes a start and a second for each body.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from reportgen.backends.cpu.x86_64.forms.program import form as body_of
from reportgen.collect.progress import Progress
from reportgen.runs.schema import Run
from reportgen.suite.survey import FAMILY, MEMORY, THROUGHPUT, Asked, constants, form_of
from reportgen.survey.said import Said
from reportgen.validation.llvm_mca import LlvmMca
from reportgen.validation.llvm_mca_regions import Region, ask, chunked

DIGITS = 4
"""Significant ones of what is kept."""


def said(forms: Sequence[Asked], features: Sequence[str], tool: LlvmMca, progress: Progress) -> Said:
    """What llvm-mca says of forms on a processor with these features."""
    absent = tool.missing()
    if absent:
        return Said(tool.name, absent=absent)
    version, target = tool.identity()
    asked = [region for one in forms for region in regions(one, tuple(features))]
    progress.stage(f"asking {tool.name}", len(list(chunked(asked))))
    cycles: dict[str, list[str]] = {}
    faults: dict[str, list[str]] = {}
    for name, answer in ask(tool, asked, progress.step).items():
        key, what = name.split(" ")
        if answer.fault:
            faults.setdefault(answer.fault, []).append(name)
        else:
            cycles.setdefault(key, []).append(f"{what}:{answer.cycles:.{DIGITS}g}")
    return Said(
        name=tool.name,
        version=version,
        target=target,
        forms={key: " ".join(some) for key, some in cycles.items()},
        faults={fault: tuple(names) for fault, names in faults.items()},
    )


def again(run: Run, tool: LlvmMca, progress: Progress) -> Said:
    """What llvm-mca says of the forms of a sealed survey; their bodies are made anew."""
    questions: dict[str, list[str]] = {}
    for point in run.points:
        questions.setdefault(point.probe, []).append(str(point.settings["of"]))
    forms = [
        Asked(form_of(probe.title, probe.constants), tuple(questions[probe.id]))
        for probe in run.probes
        if probe.family == FAMILY and probe.id in questions
    ]
    return said(forms, run.device.features, tool, progress)


def regions(asked: Asked, features: tuple[str, ...]) -> Iterator[Region]:
    """The bodies of a form, one for each number that is made of them; named `key throughput`, `key 2to1`."""
    form = asked.form
    recorded = constants(form)
    # of a pair any length has the same steps; of a throughput the most instances are what is told of
    questions = {question.partition(":")[0]: question for question in asked.questions}
    for what, question in questions.items():
        yield _region(form.key, recorded, question, features, what)


def _region(
    key: str, recorded: Mapping[str, Any], question: str, features: tuple[str, ...], what: str
) -> Region:
    body = body_of(key, recorded, question, features)
    form = form_of(key, recorded)
    source, _, destination = what.partition("to")
    # a chain through memory goes through one word; a rate has a line for each instance
    through_memory = (
        what != THROUGHPUT
        and source == destination
        and source.isdigit()
        and form.operands[int(source) - 1].file == MEMORY
    )
    return Region(f"{key} {what}", body.turn, body.steps // body.times, through_memory, form.extension)
