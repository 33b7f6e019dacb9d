"""Rules of the house that no other tool checks."""

from __future__ import annotations

import os
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from reportgen import __version__

ROOT = Path(__file__).resolve().parents[2]
TEXT = frozenset(
    "|.py|.md|.toml|.txt|.yml|.yaml|.json|.j2|.css|.js|.cff|.csv|.html".split("|")  # "": Makefile, LICENSE
)
LONGEST = 400

MACHINE = re.compile(r"(?<![\w.])/(?:home/\w|Users/\w|root/|work/\w|opt/(?:pypi|wheels))")
REGISTRY = re.compile(
    r"pypi\.org|pythonhosted\.org|(?:extra-)?index-url|find-links|deb\.debian\.org|registry\.npmjs"
)
SPELLING = re.compile(r"FLOP[Ss]\b")


HINTS = {
    MACHINE: ("/home/", "/Users/", "/root/", "/work/", "/opt/"),
    REGISTRY: ("pypi.org", "pythonhosted", "index-url", "find-links", "debian.org", "registry.npmjs"),
    SPELLING: ("FLOP",),
}
"""What stands in every text of a rule's pattern: quickly looked for, in manifests of megabytes too."""


def tracked() -> list[Path]:
    """Text files under version control but this one; a copy without git has none to judge."""
    command = ["git", "ls-files", "-z"]
    try:
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    return [path for path in paths if path.suffix in TEXT and path.is_file() and path != Path(__file__)]


def lines_with(pattern: re.Pattern[str], paths: list[Path]) -> list[str]:
    """`file:line: text` of every line in which the pattern occurs."""
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:120]}"
        for path in paths
        if any(hint in (text := path.read_text(encoding="utf-8")) for hint in HINTS[pattern])
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_a_file_is_one_room() -> None:
    long = {
        str(path.relative_to(ROOT)): count
        for path in (ROOT / "reportgen").rglob("*")
        if path.suffix in {".py", ".j2", ".js", ".css"}
        and (count := len(path.read_text(encoding="utf-8").splitlines())) > LONGEST
    }
    assert long == {}, f"longer than {LONGEST} lines: two rooms each"


def test_no_file_is_named_for_nothing() -> None:
    vague = {"utils.py", "util.py", "helpers.py", "misc.py", "common.py"}
    assert [path for path in (ROOT / "reportgen").rglob("*.py") if path.name in vague] == []


def test_no_path_of_one_machine_is_in_the_project() -> None:
    assert lines_with(MACHINE, tracked()) == []


def test_no_registry_address_is_in_the_project() -> None:
    assert lines_with(REGISTRY, tracked()) == []


def test_the_unit_is_spelt_flop_per_second() -> None:
    # The lint that looks for the other spelling has to name it.
    judged = [
        path
        for path in tracked()
        if path.relative_to(ROOT).parts[0] in {"reportgen", "docs", "probes", "README.md"}
        and path.relative_to(ROOT).as_posix() != "reportgen/findings/lint.py"
    ]
    assert lines_with(SPELLING, judged) == []


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (MACHINE, "cd /home/somebody/project"),
        (MACHINE, f"see {os.sep}work{os.sep}project"),
        (REGISTRY, "pip install --index-url=https://mirror"),
        (SPELLING, "38 TFLOPS"),
        (SPELLING, "GFLOPs"),
    ],
)
def test_the_rules_find_what_they_look_for(pattern: re.Pattern[str], text: str) -> None:
    assert pattern.search(text)
    assert any(hint in text for hint in HINTS[pattern])


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        (MACHINE, "/sys/devices/system/cpu, ./home/x, docs/root/x, /homepage"),
        (REGISTRY, "pip install -c constraints.txt"),
        (SPELLING, "64 FLOP/cycle, 2 GFLOP/s, FLOP/byte"),
    ],
)
def test_the_rules_leave_the_rest_alone(pattern: re.Pattern[str], text: str) -> None:
    assert not pattern.search(text)


def test_one_version_everywhere() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {__version__}\n" in citation
    assert f"\n## [{__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_dependency_has_its_reason() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").split("## Libraries", 1)[1]
    explained = set(re.findall(r"^\| ([a-z0-9-]+)", table, re.MULTILINE)) - {"package"}
    assert explained == {re.split(r"[<>=]", line)[0] for line in project["dependencies"]}


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    pins = (ROOT / "constraints.txt").read_text(encoding="utf-8").lower().replace("_", "-")
    lacking = [name for line in wanted if f"\n{(name := re.split(r'[<>=]', line)[0])}==" not in pins]
    assert lacking == []


GENERATED = (
    *("compare/", "devices/", "hypotheses/", "targets/"),
    *("dictionary.md", "published.md", "../published.md"),
)
"""Pages that the site's plugin makes; `mkdocs build --strict` looks after links into them."""

LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#\s]+)")


def test_links_between_hand_written_pages_lead_somewhere() -> None:
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    dead = [
        f"{page.relative_to(ROOT)}: {target}"
        for page in pages
        for target in LINK.findall(page.read_text(encoding="utf-8"))
        if not target.startswith(GENERATED) and not (page.parent / target).exists()
    ]
    assert dead == []
