"""Linear algebra runs in one thread, whether numpy is loaded already or not, unless the user wants more."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from reportgen.threads import POOLS, keep_one

ASK = """
{before}
from reportgen.threads import keep_one
keep_one()
import numpy
from threadpoolctl import threadpool_info
print(*(pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"))
"""


def pools(before: str, **environment: str) -> set[str]:
    """Threads of each pool of a process of its own."""
    kept = {name: value for name, value in os.environ.items() if name not in POOLS}
    found = subprocess.run(
        [sys.executable, "-c", ASK.format(before=before)],
        env=kept | environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(found.stdout.split())


@pytest.mark.parametrize("before", ["", "import numpy"])
def test_every_pool_has_one_thread(before: str) -> None:
    assert pools(before) == {"1"}


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core has one thread a pool in any case")
def test_what_the_user_set_stays() -> None:
    assert pools("", OPENBLAS_NUM_THREADS="2") == {"2"}


def test_processes_that_are_started_have_one_too(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in POOLS:
        monkeypatch.delenv(name)
    keep_one()
    assert [os.environ[name] for name in POOLS] == ["1", "1"]
