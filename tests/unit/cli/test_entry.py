"""Ctrl-C before the command line is there."""

from __future__ import annotations

import subprocess
import sys

import pytest

START = "from reportgen.cli.entry import main; main()"
PRESSED = """
import sys

class Pressed:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Pressed())
"""


@pytest.mark.parametrize(
    ("module", "said"),
    [("click", b""), ("reportgen.cli.main", b""), ("reportgen.cli.schema", b"interrupted\n")],
)
def test_ctrl_c_while_a_module_loads_leaves_no_traceback(module: str, said: bytes) -> None:
    words = [sys.executable, "-c", PRESSED.format(module=module) + START, "schema"]
    done = subprocess.run(words, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", said)


def test_nothing_is_caught_that_is_no_interruption() -> None:
    words = [sys.executable, "-c", START, "--version"]
    done = subprocess.run(words, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout
