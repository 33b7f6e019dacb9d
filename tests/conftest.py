"""What all tests share: one fixed way of drawing examples, no display, and temporary files in memory."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from reportgen.threads import POOLS

MEMORY = Path("/dev/shm")
ROOM = 2 << 30
"""Bytes that must be free there; a whole run leaves a quarter of a gigabyte."""

# Figures are drawn to files; a machine with a display must not open a window.
os.environ.setdefault("MPLBACKEND", "Agg")
# Material prints a banner about MkDocs 2 on every build.
os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
# Pools of threads of several test workers would fight for the cores; workers are started after this.
for pool in POOLS:
    os.environ.setdefault(pool, "1")
# Test workers are started with a width of 80; tables are to be as wide as into a pipe.
os.environ.pop("COLUMNS", None)


def _in_memory() -> bool:
    """Whether temporary files of tests may lie in memory: there is room, and what is built may be loaded."""
    try:
        found = os.statvfs(MEMORY)
    except OSError:
        return False
    free = found.f_bavail * found.f_frsize
    return os.access(MEMORY, os.W_OK) and free >= ROOM and not found.f_flag & os.ST_NOEXEC


# A journal is written with an fsync a row: thousands of them, and each may wait 7 ms for a busy disk.
# No test takes the power away; that files are whole when a process is killed shows on any file system.
if "PYTEST_DEBUG_TEMPROOT" not in os.environ and _in_memory():
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(MEMORY)

# The same examples on every machine: a red test is red for everybody. No deadline and no complaint
# about slowness, because the machine may be measuring or shared; no database, so that one run does
# not depend on the one before.
settings.register_profile(
    "reportgen",
    derandomize=True,
    deadline=None,
    database=None,
    max_examples=60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("reportgen")


def pytest_report_header() -> str:
    """Where temporary files lie."""
    return f"temporary files: {os.environ.get('PYTEST_DEBUG_TEMPROOT', 'where the system has them')}"


CPUS = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
"""Processors that this process may use; none is named where the system pins nothing."""


@pytest.hookimpl(trylast=True)  # fixtures have given `os` back what they took away
def pytest_runtest_teardown() -> None:
    """What one test set for its process is not left to the next."""
    os.environ.pop("REPORTGEN_CUDA_SERVES", None)
    # A launcher pins the process it runs in, as a worker of a run shall be. Here that process goes on to
    # other tests, and all of them would wait for that one core.
    if CPUS is not None and os.sched_getaffinity(0) != CPUS:
        os.sched_setaffinity(0, CPUS)
