"""What a bulk copy brings is compared with what lay there, by the launcher and in executed kernels."""

from __future__ import annotations

import msgspec
import pytest

from reportgen.backends.cuda.launcher import CudaLauncher
from tests.simulated.host_gpu import HostGpu
from tests.simulated.ptx.points import Code
from tests.simulated.ptx.visits import Seen, Visits
from tests.unit.backends.cuda import suite
from tests.unit.backends.cuda.points import DEVICE, source, visit

PROBE = "memory_hierarchy/bulk_copy"


@pytest.mark.parametrize("copy", ["load", "store"])
@pytest.mark.parametrize("lost", [0, 16])
def test_the_launcher_compares_both_sides(copy: str, lost: int) -> None:
    gpu = HostGpu(lost_bytes=lost)
    batch = visit((CudaLauncher(0, DEVICE, gpu), gpu), source(PROBE, copy=copy, bytes=256))
    if not lost:
        assert (batch.status, batch.reason) == ("ok", "")
        return
    assert batch.status == "invalid"
    assert "of 256 bytes are not those that were copied" in batch.reason


def executed(copy: str, right: str, spoilt: str) -> Seen:
    """A copy of 1 KiB by a kernel in which something stands in place of what is right."""
    whole = suite.generated("sm_90").sources[f"{PROBE}#copy={copy},bytes=1024"]
    assert right in whole.text
    made = msgspec.structs.replace(whole, text=whole.text.replace(right, spoilt, 1))
    code = Code()
    code.make([made])
    return Visits("sm_90", code).visit(made)


def test_a_store_of_what_nobody_wrote_is_wrong(toolchain: str) -> None:
    seen = executed("store", "at < bytes; at += 128)", "at < bytes - 128; at += 128)")
    assert (seen.status, "128 of 1024 bytes are copied out of shared memory that nobody" in seen.reason) == (
        "wrong",
        True,
    ), seen.reason


@pytest.mark.parametrize(
    ("copy", "right", "spoilt"),
    [("store", "source[at / 4]", "source[at / 8]"), ("load", "(tile + at)", "(tile + (at & ~31u))")],
)
def test_other_words_than_those_are_wrong(toolchain: str, copy: str, right: str, spoilt: str) -> None:
    seen = executed(copy, right, spoilt)
    assert seen.status in ("wrong", "failed", "invalid"), seen.reason
    assert "copied" in seen.reason


def test_a_tile_that_is_kept_elsewhere_is_wrong(toolchain: str) -> None:
    seen = executed("tile_load", "(tile + at)", "(tile + (at ^ 16))")
    assert (seen.status, seen.reason) == ("wrong", "the copy differs from what was copied")
