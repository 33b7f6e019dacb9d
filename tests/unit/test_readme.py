"""What the README tells people to type is what the command line takes."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from reportgen import errors
from reportgen.cli.entry import GONE, INTERRUPTED
from reportgen.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TYPED = re.findall(r"^    (reportgen [^#\n]+?)(?: *#.*)?$", README, re.MULTILINE)
TARGETS = re.findall(r"^    make (\w+)", README, re.MULTILINE)


def parse(group: click.Group, words: list[str]) -> click.Command:
    """The command that the words name; its arguments are parsed and not run.

    Raises:
        click.UsageError: there is no such command, option or argument.
    """
    context = click.Context(group)
    name, command, rest = group.resolve_command(context, words)
    assert command is not None
    if isinstance(command, click.Group):
        return parse(command, rest)
    command.make_context(name, list(rest))
    return command


def test_there_is_something_to_try() -> None:
    assert len(TYPED) > 8
    assert {"report", "test", "serve"} <= set(TARGETS)


@pytest.mark.parametrize("line", TYPED)
def test_an_example_can_be_typed(line: str) -> None:
    assert isinstance(main, click.Group)
    parse(main, shlex.split(line)[1:])


@pytest.mark.parametrize("wrong", ["reportgen collekt", "reportgen collect --quickly", "reportgen runs show"])
def test_a_wrong_example_would_be_found(wrong: str) -> None:
    assert isinstance(main, click.Group)
    with pytest.raises(click.UsageError):
        parse(main, shlex.split(wrong)[1:])


def test_every_make_target_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    written = {*TARGETS, *re.findall(r"make (\w+)", (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))}
    assert written <= set(re.findall(r"^(\w+):", makefile, re.MULTILINE))


def test_every_exit_code_is_told() -> None:
    told = {int(code) for code in re.findall(r"^\| (\d+) \| ", README, re.MULTILINE)}
    raised = {
        kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and hasattr(kind, "exit_code")
    }
    assert told == raised | {0, 1, GONE, INTERRUPTED}
