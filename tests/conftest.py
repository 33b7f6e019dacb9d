"""What all tests share: one fixed way of drawing examples, and no display."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Figures are drawn to files; a machine with a display must not open a window.
os.environ.setdefault("MPLBACKEND", "Agg")
# Material prints a banner about MkDocs 2 on every build.
os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
# Test workers are started with a width of 80; tables are to be as wide as into a pipe.
os.environ.pop("COLUMNS", None)

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


def pytest_runtest_teardown() -> None:
    """What the driver of one test serves chooses no compiler for the next."""
    os.environ.pop("REPORTGEN_CUDA_SERVES", None)
