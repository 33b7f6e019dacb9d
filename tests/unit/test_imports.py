"""The stages of the pipeline import each other one way only; the table is the one in ARCHITECTURE.md."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "reportgen"

EVERYBODY = frozenset({"errors", "status", "units", "caches", "threads", "__init__", "py.typed"})
"""Modules at the top of the package that every stage may import."""

TOOLS = frozenset({"llvmlite", "iced_x86", "capstone", "pycuda", "cuda", "pynvml", "ncu_report"})
"""Assemblers, decoders and drivers: only a backend's own folder imports them."""


def table(text: str) -> dict[str, frozenset[str]]:
    """The block "Who may import whom" of ARCHITECTURE.md: stage -> what it may import."""
    block = text.split("Who may import whom", 1)[1].split("```")[1]
    arrows = re.findall(r"([a-z_.]+) → ([a-z_., ]+?)(?=\s{2,}|\n|$)", block)
    return {stage: frozenset(re.split(r",\s*", allowed.strip())) for stage, allowed in arrows}


ALLOWED = table((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))


@cache
def imported(path: Path, package: Path) -> tuple[tuple[int, str], ...]:
    """Line and full module name of every import in a file, wherever in the file it stands.

    `from reportgen.runs import schema` counts as `reportgen.runs.schema` where that is a module;
    relative imports are resolved; `import_module("literal")` counts too. Read once for all tests.
    """
    return tuple(_imported(path, package))


def _imported(path: Path, package: Path) -> Iterator[tuple[int, str]]:
    here = (package.name, *path.relative_to(package).with_suffix("").parts)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            stem = list(here[: len(here) - node.level]) if node.level else []
            base = ".".join([*stem, *(node.module.split(".") if node.module else [])])
            for alias in node.names:
                inner = package.parent.joinpath(*base.split("."), alias.name)
                known = inner.is_dir() or inner.with_suffix(".py").is_file()
                yield node.lineno, f"{base}.{alias.name}" if known else base
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in {"import_module", "__import__"} and isinstance(node.args[0].value, str):
                yield node.lineno, node.args[0].value


def stage_of(path: Path, package: Path) -> str:
    """First folder below the package, or the module's own name at its top."""
    parts = path.relative_to(package).parts
    return parts[0] if len(parts) > 1 else path.stem


def wrong_arrows(package: Path) -> list[str]:
    """One line for every import that goes against the pipeline or fetches a tool from elsewhere."""
    found = []
    for path in sorted(package.rglob("*.py")):
        where, stage = path.relative_to(package.parent), stage_of(path, package)
        inside = path.relative_to(package).parts
        for line, module in imported(path, package):
            first, _, rest = module.partition(".")
            if first == package.name:
                target = rest.partition(".")[0]
                if not may_import(inside, rest, target):
                    found.append(f"{where}:{line}: {stage} must not import {module}")
                if inside[:1] == ("backends",) and rest.startswith("backends.") and crosses(inside, rest):
                    found.append(f"{where}:{line}: one backend must not import another: {module}")
            elif first == "mkdocs" and inside != ("site", "mkdocs_plugin.py"):
                found.append(f"{where}:{line}: only site/mkdocs_plugin.py imports mkdocs")
            elif first in TOOLS and not (inside[0] == "backends" and len(inside) > 2):
                found.append(f"{where}:{line}: only a backend's folder imports {first}")
    return found


def may_import(inside: tuple[str, ...], module: str, target: str) -> bool:
    """Whether the file `inside` the package may import `module`, whose stage is `target`.

    A row of the table for a folder within a stage (`backends.replay`) adds to that of the stage.
    """
    if not target or target == inside[0] or target in EVERYBODY:
        return True
    if inside == ("__init__.py",):  # the public face of the package: `reportgen.load`, `reportgen.count`
        return target in {"model", "workload"}
    if inside == ("__main__.py",):  # `python -m reportgen`
        return target == "cli"
    rows = (".".join(inside[:depth]) for depth in range(1, len(inside)))
    allowed = frozenset[str]().union(*(ALLOWED.get(row, frozenset()) for row in rows))
    return "everything" in allowed or target in allowed or module in allowed


def crosses(inside: tuple[str, ...], module: str) -> bool:
    """Whether a file of one backend's folder imports from another backend's folder."""
    other = module.split(".")[1]
    return len(inside) > 2 and (PACKAGE / "backends" / other).is_dir() and other != inside[1]


def test_the_table_names_every_stage() -> None:
    folders = {p.name for p in PACKAGE.iterdir() if p.is_dir() and not p.name.startswith("_")}
    assert {row for row in ALLOWED if "." not in row} == folders
    assert all((PACKAGE / row.replace(".", "/")).is_dir() for row in ALLOWED)
    assert ALLOWED["backends"] == {"suite", "runs.schema"}
    assert ALLOWED["cli"] == {"everything"}


def test_no_arrow_goes_against_the_pipeline() -> None:
    assert wrong_arrows(PACKAGE) == []


@pytest.mark.parametrize(
    ("file", "text", "complaint"),
    [
        (
            "collect/plan.py",
            "from reportgen.analysis import slope\n",
            "collect must not import reportgen.analysis",
        ),
        (
            "collect/plan.py",
            "def f():\n    import reportgen.site.render\n",
            "plan.py:2: collect must not import",
        ),
        ("collect/plan.py", "from ..analysis.slope import fit\n", "must not import reportgen.analysis.slope"),
        ("collect/plan.py", "import_module('reportgen.model')\n", "collect must not import reportgen.model"),
        ("backends/cpu/clock.py", "from reportgen.runs import read\n", "must not import reportgen.runs.read"),
        (
            "suite/load.py",
            "from reportgen.runs.read import Bundle\n",
            "suite must not import reportgen.runs.read",
        ),
        ("errors.py", "import reportgen.suite\n", "errors must not import reportgen.suite"),
        (
            "workload/bytes.py",
            "from reportgen.runs.schema import Run\n",
            "workload must not import reportgen.runs.schema",
        ),
        (
            "site/pages.py",
            "from mkdocs.plugins import BasePlugin\n",
            "only site/mkdocs_plugin.py imports mkdocs",
        ),
        ("analysis/slope.py", "import capstone\n", "only a backend's folder imports capstone"),
        ("backends/base.py", "import llvmlite.binding\n", "only a backend's folder imports llvmlite"),
        (
            "backends/cpu/clock.py",
            "import reportgen.backends.replay.x\n",
            "one backend must not import another",
        ),
    ],
)
def test_a_wrong_arrow_is_found(tmp_path: Path, file: str, text: str, complaint: str) -> None:
    package = copy_of_tree(tmp_path, file, text)
    (found,) = wrong_arrows(package)
    assert complaint in found


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("backends/cpu/clock.py", "from reportgen.runs.schema import Device\nimport capstone, iced_x86\n"),
        ("backends/cpu/clock.py", "from reportgen.runs import schema\nfrom . import device\n"),
        ("backends/replay/launcher.py", "from reportgen.runs.read import Bundle\n"),
        ("site/mkdocs_plugin.py", "import mkdocs.plugins\nfrom reportgen.analysis import slope\n"),
        ("findings/rules.py", "from reportgen import __version__, status\nfrom reportgen.units import x\n"),
        ("cli/main.py", "import reportgen.site.render, reportgen.collect.plan\n"),
    ],
)
def test_a_right_arrow_is_not(tmp_path: Path, file: str, text: str) -> None:
    assert wrong_arrows(copy_of_tree(tmp_path, file, text)) == []


def copy_of_tree(tmp_path: Path, file: str, text: str) -> Path:
    """An empty package with a few modules to import, and one file with an import to judge."""
    package = tmp_path / "reportgen"
    for name in ("runs/schema.py", "runs/read.py", "analysis/slope.py", "status.py", file):
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if name == file else "")
    return package


def test_every_package_that_is_imported_is_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(line for name in extras if name != "dev" for line in extras[name])]
    declared = {re.split(r"[<>=!~; \[]", line)[0].lower().replace("_", "-") for line in wanted}
    providers = packages_distributions()
    undeclared = set()
    for path in PACKAGE.rglob("*.py"):
        for _, module in imported(path, PACKAGE):
            first = module.partition(".")[0]
            if first == "reportgen" or first in sys.stdlib_module_names or first in TOOLS:
                continue
            names = {name.lower().replace("_", "-") for name in providers.get(first, [first])}
            if not names & declared:
                undeclared.add(f"{path.relative_to(ROOT)} imports {first}")
    assert sorted(undeclared) == []
