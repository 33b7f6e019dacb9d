"""Ctrl-C before the command line is there, packages that are not, and a disk that is full."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from reportgen.cli.site import REFUSED

ROOT = Path(__file__).resolve().parents[3]
START = "from reportgen.cli.entry import main; main()"
PRESSED = """
import sys

class Pressed:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Pressed())
"""


@pytest.mark.parametrize("module", ["click", "reportgen.cli.main", "reportgen.cli.schema"])
def test_ctrl_c_while_a_module_loads_is_one_line(module: str) -> None:
    words = [sys.executable, "-c", PRESSED.format(module=module) + START, "schema"]
    done = subprocess.run(words, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"interrupted\n")


def test_nothing_is_caught_that_is_no_interruption() -> None:
    words = [sys.executable, "-c", START, "--version"]
    done = subprocess.run(words, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout


def test_hardly_anything_is_imported_before_ctrl_c_is_caught() -> None:
    seen = "import sys; old = set(sys.modules); import reportgen.cli.entry; print(set(sys.modules) - old)"
    done = subprocess.run([sys.executable, "-S", "-c", seen], capture_output=True, check=True, cwd=ROOT)
    assert ast.literal_eval(done.stdout.decode()) == {
        "__future__", "reportgen", "reportgen.cli", "reportgen.cli.entry"
    }  # fmt: skip


@pytest.mark.parametrize(("module", "words"), [("msgspec", "probes"), ("jinja2", "collect --device sm_90")])
def test_a_package_that_is_missing_is_named(module: str, words: str, tmp_path: Path) -> None:
    hidden = f"import sys; sys.modules[{module!r}] = None; "
    done = subprocess.run(
        [sys.executable, "-c", hidden + START, *words.split()], capture_output=True, check=False, cwd=tmp_path
    )
    assert done.returncode == 3
    assert done.stderr.decode().splitlines()[-1] == (
        f"error: the package '{module}' is not installed. Install reportgen with what it needs: "
        "pip install reportgen; 'reportgen doctor' lists what is here."
    )


def test_a_module_of_our_own_that_is_missing_is_a_fault() -> None:
    hidden = "import sys; sys.modules['reportgen.suite.load'] = None; "
    done = subprocess.run([sys.executable, "-c", hidden + START, "probes"], capture_output=True, check=False)
    assert done.returncode == 1
    assert b"Traceback" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", ["--help", "schema", "probes --json"])
def test_output_to_a_full_disk_is_one_line(words: str) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", START, *words.split()], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr == b"error: No space left on device. Make room, or send the output elsewhere.\n"


def test_closed_streams_are_open_to_nowhere(tmp_path: Path) -> None:
    """Else a file of the run would be standard output to whatever prints."""
    words = f'"{sys.executable}" -c "{START}"'
    for closed in (">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"):
        done = subprocess.run(["sh", "-c", f"{words} schema --out out {closed}"], check=False, cwd=tmp_path)
        assert done.returncode == 0
    assert all(path.read_bytes().startswith(b"{") for path in (tmp_path / "out").iterdir())
    table = subprocess.run(["sh", "-c", f"{words} cache >&-"], capture_output=True, check=False)
    assert (table.returncode, table.stderr) == (0, b"")


def test_a_reader_that_goes_away_is_no_fault() -> None:
    words = [sys.executable, "-c", START, "schema"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout is not None
        running.stdout.close()
        assert running.stderr is not None
        said = running.stderr.read()
    assert (running.returncode, said) == (141, b"")


def test_memory_that_is_missing_is_one_line() -> None:
    short = "import reportgen.cli.main as m\ndef none(): raise MemoryError\nm.main = none\n"
    done = subprocess.run([sys.executable, "-c", short + START], capture_output=True, check=False)
    assert done.returncode == 3
    assert done.stderr.startswith(b"error: there is not enough memory. Free some, or raise the limit")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    "last",
    [
        "OSError: [Errno 28] No space left on device: 'docs/a.svg' -> 'out/a.svg'",
        "OSError: [Errno 28] No space left on device: 'out/a.svg'",
        "PermissionError: [Errno 13] Permission denied: 'out/a.svg'\n",
    ],
)
def test_a_disk_that_refuses_a_site_is_told_from_the_traceback(last: str) -> None:
    refused = REFUSED.search(f"Traceback (most recent call last):\n  File x, line 1\n{last}")
    assert refused is not None
    assert refused["path"] == "out/a.svg"
