"""Validation loops as programs, and their arrays: what they hold and where they lie."""

from __future__ import annotations

import numpy as np
import pytest

from reportgen.backends.cpu.generator import CpuGenerator
from reportgen.backends.cpu.loops import GUARD, lay_out
from reportgen.errors import LaunchError, Unsupported
from reportgen.suite.expand import points, probes
from reportgen.suite.loops import read_loops, suite_of
from tests.unit.backends.cpu.x86 import assembles, device, judge


def content(setup: dict[str, int | float | str], seed: int = 1) -> tuple[list[int], list[bytes]]:
    """Addresses, and the bytes of each array."""
    buffer, addresses = lay_out(setup, seed)
    memory = bytes(buffer.view())
    sizes = [int(str(setup.get(name, "x 0")).split()[1]) for name in "abc"]
    starts = [address - buffer.address for address in addresses]
    return addresses, [memory[start : start + size] for start, size in zip(starts, sizes, strict=True)]


def test_an_absent_array_has_no_address() -> None:
    addresses, _ = content({"a": "fp32 4096", "c": "zero 64"})
    assert addresses[1] == 0
    assert addresses[0] > 0 < addresses[2]


def test_arrays_do_not_begin_at_one_place_of_a_page_and_keep_their_distance() -> None:
    addresses, _ = content({"a": "int 4096", "b": "int 4096", "c": "zero 4096"})
    assert len({address % 4096 for address in addresses}) == 3
    assert addresses[1] - addresses[0] >= 4096 + GUARD
    assert addresses[2] - addresses[1] >= 4096 + GUARD
    assert all(address % 64 == 0 for address in addresses)


@pytest.mark.parametrize(("kind", "dtype"), [("fp32", np.float32), ("fp64", np.float64)])
def test_numbers_lie_between_one_and_two(kind: str, dtype: type) -> None:
    _, (data, _, _) = content({"a": f"{kind} 4096"})
    values = np.frombuffer(data, dtype)
    assert values.min() >= 1 <= values.max() < 2
    assert len(np.unique(values)) > 100


def test_text_is_small_letters_and_an_index_stays_inside() -> None:
    _, (text, index, zero) = content({"a": "text 256", "b": "index 4096", "c": "zero 64"})
    assert text.decode().islower()
    places = np.frombuffer(index, np.uint32)
    assert places.max() < 1024
    assert zero == bytes(64)


def test_a_list_visits_every_cell_before_it_closes() -> None:
    addresses, (data, _, _) = content({"a": "list 4096"})
    cells = np.frombuffer(data, np.uint64)
    here, seen = addresses[0], set()
    while here not in seen:
        seen.add(here)
        here = int(cells[(here - addresses[0]) // 8])
    assert len(seen) == 64
    assert here == addresses[0]


def test_the_same_seed_gives_the_same_contents() -> None:
    setup: dict[str, int | float | str] = {"a": "int 1024"}
    assert content(setup, 7)[1] == content(setup, 7)[1] != content(setup, 8)[1]


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(LaunchError, match="no array holds 'poem'"):
        lay_out({"a": "poem 64"}, 1)


@assembles
def test_every_loop_is_the_program_that_was_meant() -> None:
    loops = read_loops()
    suite = suite_of(loops)
    everything = device(tuple({name for loop in loops for name in loop.features}))
    generator = CpuGenerator(everything, suite.tables["x86_64"])
    wrong = {}
    for probe in probes(suite, "x86_64"):
        (point,) = points(probe, everything, suite.tables["x86_64"], False)
        source = generator.generate(probe, point)
        result = judge(source)
        if result.verdict != "verified":
            wrong[point.id] = result.explanation
        assert source.work["items"] == probe.definition.constants["items"]
    assert wrong == {}


def test_a_loop_names_the_features_that_a_processor_lacks() -> None:
    suite = suite_of([loop for loop in read_loops() if loop.name == "dot_avx512_4"])
    plain = device(("avx",))
    (probe,) = probes(suite, "x86_64")
    (point,) = points(probe, plain, suite.tables["x86_64"], False)
    with pytest.raises(Unsupported, match="this processor lacks avx512f"):
        CpuGenerator(plain, suite.tables["x86_64"]).generate(probe, point)
