"""Access sequences: the chase that is known, through the lines that are made for the ways of the device."""

from __future__ import annotations

import pytest

from reportgen.backends.base import Order
from reportgen.backends.cpu.backend import CpuBackend
from reportgen.errors import Unsupported
from tests.data.aarch64 import golden
from tests.unit.backends.cpu.x86 import assembles, device, generate, judge, planned, suite

PROBE = "memory_hierarchy/replacement_policy"
CHASE = "memory_hierarchy/cache_conflict"
POINTS = [name for name in planned() if name.startswith((f"{PROBE}#", f"{PROBE}_l2#"))]


@assembles
@pytest.mark.parametrize("point", POINTS)
def test_every_point_is_verified(point: str) -> None:
    result = judge(generate(point))
    assert result.verdict == "verified", result.explanation


@pytest.mark.parametrize(("ways", "size", "stride"), [(8, 32768, 4096), (12, 49152, 4096), (4, 65536, 16384)])
def test_the_ways_choose_the_sequence(ways: int, size: int, stride: int) -> None:
    known: dict[str, int | float | str] = {"l1d_bytes": size, "l1d_ways": ways}
    made = generate(f"{PROBE}#sequence=s1", device(reported=known))
    assert made.setup["lines"] == suite().definitions[PROBE].constants["sequences"][str(ways)]["s1"]
    assert (made.setup["stride"], made.setup["inner"]) == (stride, 0)
    assert made.work == {"steps": 64.0, "ways": float(ways)}


@pytest.mark.parametrize(
    ("known", "why"),
    [
        ({}, "reports no size and ways of L1D"),
        ({"l1d_bytes": 32768}, "reports no size and ways"),
        ({"l1d_bytes": 32768, "l1d_ways": 7}, "no sequences for 7 ways, only for 4, 8, 12, 16"),
    ],
)
def test_without_ways_it_is_not_asked(known: dict[str, int | float | str], why: str) -> None:
    with pytest.raises(Unsupported, match=why):
        generate(f"{PROBE}#sequence=s1", device(reported=known))


def test_sets_of_the_second_level_that_share_one_of_the_first_are_all_visited() -> None:
    known: dict[str, int | float | str] = {
        "l1d_bytes": 32768, "l1d_ways": 8, "l2_bytes": 1 << 20, "l2_ways": 8,
    }  # fmt: skip
    made = generate(f"{PROBE}_l2#sequence=hits", device(reported=known))
    assert (made.setup["stride"], made.setup["inner"]) == (131072, 4096)
    with pytest.raises(Unsupported, match="only 16 sets of L2 share a set of L1"):
        generate(f"{PROBE}_l2#sequence=hits", device(reported=known | {"l2_bytes": 1 << 19}))
    with pytest.raises(Unsupported, match="no size and ways of L2"):
        generate(f"{PROBE}_l2#sequence=hits", device(reported={"l1d_bytes": 32768, "l1d_ways": 8}))


def test_the_program_is_the_chase_of_the_other_probes_on_every_isa() -> None:
    chase = generate(CHASE + "#stride=4096,count=2")
    assert generate(POINTS[0]).text == chase.text
    texts = {
        point.partition("#")[0]: result.text
        for point, result in golden.rendered()
        if point.startswith((f"{PROBE}#", CHASE)) and not isinstance(result, str)
    }
    assert texts[PROBE] == texts[CHASE]


@assembles
def test_the_launcher_lays_the_lines_out() -> None:
    """A real visit: the chase comes back through all lines, whatever the machine's times."""
    backend = CpuBackend()
    candidate = backend.discover()[0]
    made = generate(f"{PROBE}#sequence=s1", device(reported={"l1d_bytes": 32768, "l1d_ways": 8}))
    build = backend.builder(candidate.device).build(made)
    assert build.program is not None
    order = Order(made.point, build.code, build.program.sha256, made.setup, 0.004, 0.0, 5, 0)
    batch = backend.launcher(candidate.selector, candidate.device).measure(order)
    lines = len(set(str(made.setup["lines"]).split()))
    assert batch.facts["lines"] == 6 * lines
    assert batch.facts["bytes_actual"] == 6 * lines * 64
