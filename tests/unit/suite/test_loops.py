"""The validation loops: every file is whole, and a broken one is named with what it lacks."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from reportgen.errors import ProbeDefinitionError
from reportgen.suite.loops import ISA, loops_root, read_loops, suite_of

WHOLE = """# title: a sum
# loop: sum
# items: 8
# features: avx2 fma
# a: fp32 4096
# c: zero 128
.intel_syntax noprefix
  xor eax, eax   # why
loop:
  vaddps ymm0, ymm0, [rsi+rax]
  dec r15
  jne loop
  ret
mask: .long 1
"""


def folder(tmp_path: Path, text: str, name: str = "one.s") -> Path:
    (tmp_path / ISA).mkdir(exist_ok=True)
    (tmp_path / ISA / name).write_text(text)
    return tmp_path


def test_there_are_enough_loops_and_many_have_variants() -> None:
    loops = read_loops()
    assert len(loops) >= 40
    assert len({loop.title for loop in loops}) == len(loops)
    assert sum(count > 1 for count in Counter(loop.loop for loop in loops).values()) >= 20
    assert sum(loop.held_out for loop in loops) >= 30


def test_variants_of_a_loop_are_all_held_out_or_none_is() -> None:
    kinds: dict[str, set[bool]] = {}
    for loop in read_loops():
        kinds.setdefault(loop.loop, set()).add(loop.held_out)
    assert {kind for kind, marks in kinds.items() if len(marks) > 1} == set()


def test_a_file_is_taken_apart(tmp_path: Path) -> None:
    (loop,) = read_loops(folder(tmp_path, WHOLE))
    assert (loop.name, loop.loop, loop.items, loop.features) == ("one", "sum", 8.0, ("avx2", "fma"))
    assert loop.arrays == {"a": "fp32 4096", "c": "zero 128"}
    assert loop.size == 4224
    assert loop.before == ".intel_syntax noprefix\nxor eax, eax"
    assert loop.body == "vaddps ymm0, ymm0, [rsi+rax]"
    assert loop.constants == "mask: .long 1"
    assert not loop.held_out
    (held,) = read_loops(folder(tmp_path, WHOLE.replace("# items", "# held-out: yes\n# items")))
    assert held.held_out


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("# title: a sum\n", "", "x86_64/one.s: expected a line '# title: ...'."),
        ("# items: 8\n", "", "x86_64/one.s: expected a line '# items: ...'."),
        ("loop:\n", "", "x86_64/one.s: expected a label 'loop:' and the line 'jne loop'."),
        ("  dec r15\n", "  dec rcx\n", "x86_64/one.s: expected the line 'dec r15' before 'jne loop'."),
    ],
)
def test_a_broken_file_is_named(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    with pytest.raises(ProbeDefinitionError) as caught:
        read_loops(folder(tmp_path, WHOLE.replace(old, new, 1)))
    assert str(caught.value) == complaint


def test_the_suite_asks_each_loop_and_changes_with_its_text(tmp_path: Path) -> None:
    loops = read_loops(folder(tmp_path, WHOLE))
    suite = suite_of(loops)
    (definition,) = suite.definitions.values()
    assert list(suite.definitions) == ["validation/one"]
    assert (definition.metric, definition.analysis, definition.template) == ("loop.one", "rounds", "loop")
    assert definition.features == ("avx2", "fma")
    assert definition.constants["body"] == loops[0].body
    other = suite_of(read_loops(folder(tmp_path, WHOLE.replace("ymm0, ymm0", "ymm0, ymm1"))))
    assert other.digest != suite.digest


def test_a_wheel_carries_the_loops_inside_the_package(tmp_path: Path) -> None:
    package = tmp_path / "reportgen"
    with pytest.raises(ProbeDefinitionError, match="the validation loops are missing"):
        loops_root(package)
    for place in (tmp_path / "validation", package / "_validation"):
        (place / ISA).mkdir(parents=True)
        assert loops_root(package) == place
