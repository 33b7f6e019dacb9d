"""A machine that is not x86-64: it lacks a package, and only modules about x86-64 need that one."""

from __future__ import annotations

import ast
import platform
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from reportgen.cli import doctor
from reportgen.model.cost import parse

PACKAGE = Path(__file__).parents[2] / "reportgen"
DECODER = "iced_x86"


def at_once(path: Path) -> Iterator[str]:
    """Modules that importing a file imports: those of its statements outside of functions and conditions."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def needing(decoder: str, package: Path) -> set[str]:
    """Modules of a package that cannot be imported without the decoder."""
    imports = {
        ".".join(path.relative_to(package.parent).with_suffix("").parts): set(at_once(path))
        for path in package.rglob("*.py")
    }
    needing, before = {decoder}, 0
    while len(needing) > before:
        before = len(needing)
        needing |= {name for name, own in imports.items() if own & needing}
    return needing - {decoder}


def test_no_module_but_those_of_x86_64_needs_its_decoder() -> None:
    """The decoder has wheels for x86-64 only: elsewhere it would have to be compiled."""
    found = needing(DECODER, PACKAGE)
    assert "reportgen.backends.cpu.x86_64.decode" in found
    assert {name for name in found if not name.startswith("reportgen.backends.cpu.x86_64.")} == set()


def test_a_module_that_imports_one_that_needs_it_is_found(tmp_path: Path) -> None:
    package = tmp_path / "reportgen"
    package.mkdir()
    (package / "decode.py").write_text("import iced_x86\n")
    (package / "uses.py").write_text("from reportgen import decode\n")
    (package / "later.py").write_text("def f():\n    from reportgen import decode\n")
    assert needing(DECODER, package) == {"reportgen.decode", "reportgen.uses"}


def test_the_decoder_is_asked_for_where_it_has_a_wheel() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    (wanted,) = (line for line in project["project"]["dependencies"] if line.startswith("iced-x86"))
    marker = wanted.partition(";")[2]
    assert all(f"platform_machine == '{name}'" in marker for name in parse.X86_64)


@pytest.mark.parametrize(("machine", "decoder"), [("x86_64", "iced_x86"), ("aarch64", "capstone")])
def test_doctor_asks_for_the_decoder_of_this_machine(
    monkeypatch: pytest.MonkeyPatch, machine: str, decoder: str
) -> None:
    monkeypatch.setattr(platform, "machine", lambda: machine)
    asked = {name for name, *_ in doctor._programs(gpu=False)}
    assert asked & {"iced_x86", "capstone"} == {decoder}


def test_x86_64_code_is_not_read_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    with pytest.raises(parse.Unreadable, match=r"'loop\.s' is x86-64 code, .* on x86-64 machines only"):
        parse.x86_bodies([("loop.s", "addps xmm0, xmm1", True)])
