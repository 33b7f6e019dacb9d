"""One measurement of the user's own code from end to end: read, ask the models, then measure and seal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import msgspec

from reportgen.backends import registry
from reportgen.backends.base import Backend
from reportgen.collect.choosing import measurable
from reportgen.collect.progress import Progress, Silent
from reportgen.collect.runner import Interrupted, Options, Outcome, collect, correcting
from reportgen.errors import UserError
from reportgen.measurement import kept, said, spelling
from reportgen.measurement.code import Wanted, code, without_jump
from reportgen.measurement.kept import Kept
from reportgen.model.cost.parse import parse
from reportgen.runs.schema import MEASUREMENT, Device
from reportgen.suite.own_code import FAMILY, suite_of
from reportgen.validation.others import Tool

VERB = "measure"
"""Command that makes such a run, and goes on with one."""
ISA = "x86_64"
PASSES = 5
"""A run has few points: more visits cost seconds, and say how much visits differ."""
_NAME = re.compile(r"[^a-z0-9_.-]+")


@dataclass(frozen=True)
class Text:
    """Code as the user gave it."""

    name: str
    text: str


@dataclass(frozen=True)
class Asked:
    """What the user asked for."""

    collect: Options
    """Of the measurement; its `glob` is not looked at."""
    texts: Sequence[Text]
    init: str = ""
    intel: bool | None = None
    wanted: Wanted = field(default_factory=Wanted)
    model: str = ""
    """A run, a device, or a `model.json`; empty: the newest run of the device."""
    tools: Sequence[Tool] | None = None
    """Instead of llvm-mca and OSACA."""


def measure(asked: Asked, progress: Progress | None = None, backend: Backend | None = None) -> Outcome:
    """Measure the user's code, and seal it with what models say of it.

    Raises:
        UserError: a text that cannot be read or run, a device of another instruction set, a replay.
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
        replayed="Derive a sealed measurement again with --run.",
        elsewhere="The reader of listings takes x86-64 code apart only.",
    )
    options = correcting(options, device, MEASUREMENT)
    known = kept.begun(options, VERB) if options.resume else _new(asked, device, shown)
    glob = f"{FAMILY}/*"
    options = replace(options, glob=glob, verb=VERB, passes=options.passes or PASSES, remarks=known.remarks)
    try:
        outcome = collect(options, shown, backend, suite_of(known.codes, device.isa))
    except Interrupted:
        kept.keep(options, VERB, known)
        raise
    if outcome.resume:
        kept.keep(options, VERB, known)
    return outcome


def _new(asked: Asked, device: Device, progress: Progress) -> Kept:
    """The code, taken apart, and what models say of it."""
    texts = named(asked.texts)
    init = parse("--init", asked.init, asked.intel) if asked.init.strip() else None
    bodies = {text.name: parse(text.name, text.text, asked.intel) for text in texts}
    codes = tuple(code(name, body, init, asked.wanted) for name, body in bodies.items())
    kept_of = {name: without_jump(name, body.instructions)[0] for name, body in bodies.items()}
    subjects = [
        said.subject(one, spelling.text(kept_of[one.name], one.unroll), spelling.CONSTANTS)
        for one in codes
        if not one.unproven
    ]
    try:
        run, found = said.predictions(
            subjects,
            {one.name: one.unroll for one in codes},
            {one.name: one.unproven for one in codes},
            model=asked.model,
            data=asked.collect.data,
            device=device,
            tools=asked.tools,
            progress=progress,
        )
    except KeyboardInterrupt:
        progress.close()
        raise Interrupted("interrupted while predicting.", "Nothing was measured yet.") from None
    remarks = {"kind": MEASUREMENT, "model": run, "said": msgspec.to_builtins(found)}
    return Kept(codes, remarks)


def named(texts: Sequence[Text]) -> list[Text]:
    """The texts with names that differ, as rows and metrics have them.

    Raises:
        UserError: there is none.
    """
    if not texts:
        raise UserError("no code was given.", "Name a file, '-' for the standard input, or give --asm TEXT.")
    found: dict[str, Text] = {}
    for one in texts:
        name = base = _NAME.sub("_", one.name.lower()).strip("_.") or "code"
        number = 1
        while name in found:
            number += 1
            name = f"{base}-{number}"
        found[name] = Text(name, one.text)
    return list(found.values())
