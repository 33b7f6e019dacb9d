"""Validation loops: small real loops as assembly files, and the suite that measures them.

A file is complete assembly, so that any tool can read it:

    # title: dot product of FP32, AVX2, one accumulator
    # loop: dot                   variants of one loop may be ranked against each other
    # items: 8                    results of a round
    # features: avx2 fma
    # a: fp32 4096                contents and bytes of the array that rsi points to (b: rdi, c: rdx)
    # held-out: yes               written after the cost model, which was not changed with an eye on it
      vxorps ymm0, ymm0, ymm0
    loop:
      ...
      dec r15
      jne loop
      ret
    constants, if any

The timed frame brings the counter and the branch itself, so that these two lines must be the last of
the loop.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from reportgen.errors import ProbeDefinitionError
from reportgen.suite.definition import Definition
from reportgen.suite.load import Suite, load_suite

FAMILY = "validation"
ISA = "x86_64"
_KEY = re.compile(r"^#\s*(title|loop|items|features|held-out|a|b|c)\s*:\s*(.+?)\s*$", re.MULTILINE)
_CLOSING = ("dec r15", "jne loop")


@dataclass(frozen=True)
class Loop:
    """One file."""

    name: str
    path: Path
    title: str
    loop: str
    """What it computes; its variants share the name."""
    items: float
    features: tuple[str, ...]
    held_out: bool
    """Whether the model was made without it."""
    arrays: dict[str, str]
    before: str
    body: str
    """Without counter and branch."""
    constants: str
    text: str

    @property
    def size(self) -> int:
        """Bytes of all arrays: the working set."""
        return sum(int(text.split()[1]) for text in self.arrays.values())


def loops_root(package: Path | None = None) -> Path:
    """The folder of the loops: `validation/` beside the package, in a wheel `reportgen/_validation`.

    Raises:
        ProbeDefinitionError: neither is there.
    """
    package = package or Path(__file__).resolve().parents[1]
    for root in (package / "_validation", package.parent / "validation"):
        if (root / ISA).is_dir():
            return root
    remedy = "Install reportgen from its wheel or a checkout."
    raise ProbeDefinitionError("the validation loops are missing.", remedy)


def read_loops(root: Path | None = None) -> list[Loop]:
    """Every loop, in the order of names.

    Raises:
        ProbeDefinitionError: a file lacks a key, or its loop does not end with the counter and the branch.
    """
    folder = (root or loops_root()) / ISA
    return [_read(path) for path in sorted(folder.glob("*.s"))]


def _read(path: Path) -> Loop:
    text = path.read_text(encoding="utf-8")
    keys = dict(_KEY.findall(text))
    missing = [key for key in ("title", "loop", "items") if key not in keys]
    if missing:
        raise _broken(path, f"a line '# {missing[0]}: ...'")
    code = [line.partition("#")[0].strip() for line in text.splitlines()]
    code = [line for line in code if line]
    try:
        start, end = code.index("loop:"), code.index(_CLOSING[1])
    except ValueError:
        raise _broken(path, "a label 'loop:' and the line 'jne loop'") from None
    if code[end - 1] != _CLOSING[0]:
        raise _broken(path, "the line 'dec r15' before 'jne loop'")
    after = code[end + 1 :]
    return Loop(
        name=path.stem,
        path=path,
        title=keys["title"],
        loop=keys["loop"],
        items=float(keys["items"]),
        features=tuple(keys.get("features", "").split()),
        held_out=keys.get("held-out") == "yes",
        arrays={key: keys[key] for key in "abc" if key in keys},
        before="\n".join(code[:start]),
        body="\n".join(code[start + 1 : end - 1]),
        constants="\n".join(after[1:] if after[:1] == ["ret"] else after),
        text=text,
    )


def _broken(path: Path, expected: str) -> ProbeDefinitionError:
    return ProbeDefinitionError(f"{path.parent.name}/{path.name}: expected {expected}.")


def suite_of(loops: list[Loop]) -> Suite:
    """The suite that asks how long a round of each loop takes."""
    base = load_suite()
    digest = hashlib.sha256("\0".join(loop.text for loop in loops).encode()).hexdigest()
    definitions = {f"{FAMILY}/{loop.name}": _definition(loop) for loop in loops}
    return Suite(base.root, definitions, base.tables, digest)


def _definition(loop: Loop) -> Definition:
    constants: dict[str, Any] = {
        "loop": loop.loop, "items": loop.items, "before": loop.before, "body": loop.body,
        "constants": loop.constants, "held_out": loop.held_out, **loop.arrays,
    }  # fmt: skip
    return Definition(
        question=f"How many cycles does a round of this loop take: {loop.title}?",
        hypothesis="The cost model says it within its interval.",
        variable="loop",
        template="loop",
        analysis="rounds",
        metric=f"loop.{loop.name}",
        unit="cycle",
        settings={"loop": [loop.name]},
        features=loop.features,
        isas=(ISA,),
        title=loop.title,
        constants=constants,
        seconds=0.2,
    )
