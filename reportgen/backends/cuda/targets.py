"""Compute targets by name: `sm_90`, `sm_90a`, `sm_100f`.

A suffix `a` allows instructions of exactly that architecture (`wgmma` on `sm_90a`), `f` those of its
family (`tcgen05` on `sm_100f`); code without one runs on every later minor version.
Source: NVIDIA, "CUDA Compiler Driver NVCC", GPU feature list; the suffixes were tried with NVRTC 13.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from reportgen.errors import UserError
from reportgen.runs.schema import Device


@dataclass(frozen=True)
class Target:
    """A name that a CUDA compiler takes as its architecture."""

    number: int
    """Compute capability times ten: 90, 103."""
    suffix: str = ""
    """`a`, `f` or empty."""

    @property
    def name(self) -> str:
        """`sm_90a`."""
        return f"sm_{self.number}{self.suffix}"

    @property
    def base(self) -> str:
        """`sm_90`, without the suffix."""
        return f"sm_{self.number}"

    @property
    def virtual(self) -> str:
        """`compute_90a`: what the compiler takes when it shall stop at PTX."""
        return f"compute_{self.number}{self.suffix}"

    @property
    def capability(self) -> tuple[int, int]:
        """(major, minor): (9, 0), (12, 1)."""
        return divmod(self.number, 10)


GENERATIONS: dict[int, tuple[str, str]] = {
    75: ("Turing", ""),
    80: ("Ampere", ""),
    86: ("Ampere", ""),
    87: ("Ampere", ""),
    88: ("Ampere", ""),
    89: ("Ada", ""),
    90: ("Hopper", "a"),
    100: ("Blackwell", "af"),
    103: ("Blackwell", "af"),
    107: ("", "af"),
    110: ("Blackwell", "af"),
    120: ("Blackwell", "af"),
    121: ("Blackwell", "af"),
}
"""Number -> generation (empty where NVIDIA has not named it) and the suffixes it takes."""

PUBLISHED = (75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121)
"""Targets of `--device sm_all`."""

FORMER: dict[int, str] = {
    30: "CUDA 10.2",
    32: "CUDA 10.2",
    35: "CUDA 11.8",
    37: "CUDA 11.8",
    50: "CUDA 12.9",
    52: "CUDA 12.9",
    53: "CUDA 12.9",
    60: "CUDA 12.9",
    61: "CUDA 12.9",
    62: "CUDA 12.9",
    70: "CUDA 12.9",
    72: "CUDA 12.9",
    101: "CUDA 12.9, under that name; since then it is sm_110",
}
"""Number -> last toolkit that could build for it."""

_NAME = re.compile(r"sm_(\d{2,3})([af]?)")


def parse(name: str) -> Target:
    """The target of a name, whether or not the toolkit here can build for it.

    Raises:
        UserError: it is no target's name, a target no longer built, or has a suffix it does not take.
    """
    match = _NAME.fullmatch(name)
    number = int(match[1]) if match else 0
    if match is None or (number not in GENERATIONS and number not in FORMER):
        raise UserError(f"no target '{name}'.", f"There are {_spell(PUBLISHED)}.")
    if number in FORMER:
        raise UserError(
            f"target '{name}' is no longer built: {FORMER[number]} was the last that could.",
            f"Choose one of {_spell(PUBLISHED)}.",
        )
    takes = GENERATIONS[number][1]
    if match[2] and match[2] not in takes:
        others = ", ".join(f"sm_{number}{s}" for s in ("", *takes))
        raise UserError(f"target 'sm_{number}' takes no suffix '{match[2]}'.", f"Choose {others}.")
    return Target(number, match[2])


def require(name: str, buildable: Iterable[int], toolkit: str) -> Target:
    """The target of a name, if the toolkit here builds for it.

    Args:
        name: `sm_90a`.
        buildable: numbers that the toolkit says it supports.
        toolkit: what to call it in the message.

    Raises:
        UserError: no such target, or one that this toolkit lacks; lists what it builds for.
    """
    target, can = parse(name), sorted(buildable)
    if target.number not in can:
        raise UserError(
            f"{toolkit} does not build for '{name}'.",
            f"It builds for {_spell(can)}; a newer toolkit may: pip install -U 'reportgen[cuda-toolchain]'.",
        )
    return target


def device(target: Target) -> Device:
    """The device record of a target on which nothing runs."""
    generation, suffixes = GENERATIONS[target.number]
    return Device(
        id=f"sm-{target.number}",
        backend="cuda",
        vendor="NVIDIA",
        name=f"{target.base} (toolchain only)",
        isa=target.base,
        features=tuple(suffixes),
        cores=0,
        reported={"generation": generation} if generation else {},
    )


def _spell(numbers: Iterable[int]) -> str:
    return ", ".join(f"sm_{number}" for number in numbers)
