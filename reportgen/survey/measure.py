"""One survey from end to end: which forms there are, ask llvm-mca about them, then measure and seal."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from reportgen.backends import registry
from reportgen.backends.base import Backend
from reportgen.backends.cpu.x86_64.forms.crossing import across, through
from reportgen.backends.cpu.x86_64.forms.questions import asked
from reportgen.collect import interruption, lock
from reportgen.collect.choosing import measurable
from reportgen.collect.progress import Progress, Silent
from reportgen.collect.runner import Interrupted, Options, Outcome, collect, correcting
from reportgen.errors import UserError
from reportgen.runs.schema import SURVEY
from reportgen.suite.survey import ISA, Asked, Form, LeftOut, chosen, patterns_of, suite_of
from reportgen.survey.predicted import said
from reportgen.survey.said import PLACE
from reportgen.validation.llvm_mca import LlvmMca

VERB = "survey"
"""Command that makes such a run, and goes on with one."""
PASSES = 2
"""Fewer give no agreement between passes; a survey's points are many and short."""


def survey(
    options: Options,
    progress: Progress | None = None,
    backend: Backend | None = None,
    tool: LlvmMca | None = None,
) -> Outcome:
    """Measure instruction forms, and seal them with what was left out.

    Args:
        options: what the user asked for; `glob` holds patterns of keys (`vpadd*`) or extensions (`avx2`).
        progress: who shows it.
        backend: instead of the one that the selector names.
        tool: instead of the newest llvm-mca on the search path.

    Raises:
        UserError: no form of that name, a device of another instruction set, a replay.
        BackendUnavailable: the device cannot be used.
        RunRefused: another run holds the device, the disk refuses, or the run to resume began elsewhere.
        Interrupted: Ctrl-C.
    """
    shown = progress or Silent()
    selector = options.selector or "cpu"
    backend = backend or registry.get(selector)
    device = measurable(
        backend,
        selector,
        ISA,
        replayed="Derive a sealed survey again with --run.",
        elsewhere="No table of all forms of another instruction set is at hand yet.",
    )
    # the decoder is not asked for where no such code can be run
    from reportgen.backends.cpu.x86_64.forms.assembling import checked

    options = correcting(options, device, SURVEY)
    if options.resume:
        glob = interruption.find(options.data, options.resume, VERB).header.probes
    else:
        glob = patterns_of(options.glob)
    forms, left = checked(frozenset(device.features))
    some = chosen(forms, glob)
    if not some:
        raise UserError(f"no instruction form matches '{options.glob}'.", _near(options.glob, forms))
    questions = [questioned(form, device.features) for form in some]
    suite = suite_of(questions)
    with lock.hold(options.data / device.id, device.id):
        pass  # a folder that refuses, or another run, is told before the seconds of asking
    try:
        predicted = said(questions, device.features, tool or LlvmMca(), shown)
    except KeyboardInterrupt:
        shown.close()
        raise Interrupted("interrupted while predicting.", "Nothing was measured yet.") from None
    remarks = {
        "kind": SURVEY,
        "forms": len(forms),
        "left_out": grouped(left),
        PLACE: [msgspec.to_builtins(predicted)],
    }
    options = replace(options, glob=glob, verb=VERB, passes=options.passes or PASSES, remarks=remarks)
    return collect(options, shown, backend, suite)


def questioned(form: Form, features: Sequence[str]) -> Asked:
    """A form with what is asked of it on a processor with these features."""
    pairs = across(form, features)
    return Asked(form, asked(form, pairs), {pair: through(form, pair) for pair in pairs})


def grouped(left: Sequence[LeftOut]) -> list[dict[str, object]]:
    """What was left out by its reason, most first; of the assembler's choices only how they are chosen."""
    found: dict[str, list[str]] = {}
    for one in left:
        found.setdefault(one.reason, []).append(one.what)
    ordered = sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return [{"reason": reason, "what": names} for reason, names in ordered]


def _near(asked_for: str, forms: Sequence[Form]) -> str:
    names = sorted({form.mnemonic for form in forms} | {form.extension for form in forms})
    near = difflib.get_close_matches(asked_for.replace("*", ""), names, n=3, cutoff=0.5)
    meant = f"Did you mean {' or '.join(near)}? " if near else ""
    return f"{meant}Patterns are of keys ('vpaddd_*', 'add_r64_r64') or extensions ('avx2')."
