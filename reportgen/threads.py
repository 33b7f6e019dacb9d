"""One thread for linear algebra.

The systems that are solved here have tens of unknowns.  A pool of threads gains nothing on them, and its idle
threads spin on cores on which a neighbouring process measures or derives: two processes that each fitted
latency curves on two cores took twice as long with pools as without.
"""

from __future__ import annotations

import os
import sys

POOLS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
"""What the libraries behind numpy read once, when they are loaded."""


def keep_one() -> None:
    """For this process and those it starts; what the user set of any of `POOLS` stays."""
    if any(name in os.environ for name in POOLS):
        return
    os.environ.update(dict.fromkeys(POOLS, "1"))
    if "numpy" in sys.modules:
        from threadpoolctl import threadpool_limits

        threadpool_limits(1, user_api="blas")
