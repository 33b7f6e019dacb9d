"""Copies of tiles by tensor map: what the driver is asked for, what a kernel is passed, drivers without."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from reportgen.backends.base import Batch, Order, Source
from reportgen.backends.cuda import targets
from reportgen.backends.cuda import tiles as layout
from reportgen.backends.cuda.binding import MAP_BYTES, SECOND_LEVEL, TensorTile
from reportgen.backends.cuda.ctypes_binding import CtypesBinding
from reportgen.backends.cuda.generator import CudaGenerator
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.errors import LaunchError, Unsupported
from reportgen.suite import expand
from reportgen.suite.load import load_suite
from tests.simulated import stand_in

KERNEL = f"stand-in tssoc {stand_in.CYCLES} fine\0".encode()
"""A tensor map, and who reads it: map, bytes, rounds, output, clocks."""
COPY = f"stand-in tissoc {stand_in.CYCLES} fine\0".encode()
"""The parameters of a copy by tensor map: map, what is kept, bytes, rounds, output, clocks."""


WALK = f"stand-in Tsssoc {stand_in.CYCLES} fine\0".encode()
"""Those of a walk through tiles: map, bytes, rounds, step, output, clocks."""


def sources(probe: str) -> dict[str, Source]:
    """What the generator makes of a probe's own points, by their settings in words."""
    suite, device = load_suite(), targets.device(targets.parse("sm_90"))
    asked = next(one for one in expand.probes(suite, "sm_90") if one.id == f"memory_hierarchy/{probe}")
    generator = CudaGenerator(device, suite.tables["cuda"])
    points = expand.points(asked, device, suite.tables["cuda"])
    return {point.id.partition("#")[2]: generator.generate(asked, point) for point in points}


@cache
def tiles() -> dict[int, Source]:
    """Copies of whole tiles by their bytes."""
    found = sources("bulk_copy")
    return {int(name.rpartition("=")[2]): made for name, made in found.items() if "tile_load" in name}


@cache
def ways() -> dict[str, Source]:
    """Tiles in every way: swizzled or not, by what a miss brings."""
    return sources("tile_swizzle") | sources("tile_promotion")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = stand_in.build(tmp_path_factory.mktemp("driver"))
    if made is None:
        pytest.skip("no C compiler is here to build a stand-in for the driver")
    return made


@pytest.fixture(scope="module")
def binding(library: Path) -> CtypesBinding:
    opened = CtypesBinding(str(library))
    opened.open(0)
    return opened


def visit(binding: CtypesBinding, made: Source, code: bytes = COPY) -> Batch:
    launcher = CudaLauncher(0, stand_in.DEVICE, binding)
    return launcher.measure(Order(made.point, code, "", made.setup, 0.001, 0.0, 7, 0))


@pytest.mark.parametrize("size", sorted(tiles()))
def test_every_size_of_the_probe_has_a_tile_that_the_driver_takes(
    binding: CtypesBinding, toolchain: str, size: int
) -> None:
    batch = visit(binding, tiles()[size])
    assert (batch.status, batch.reason) == ("ok", "")
    columns, rows = (int(word) for word in str(batch.facts["tile"]).split()[:3:2])
    assert 4 * columns * rows == size


@pytest.mark.parametrize("way", sorted(ways()))
def test_every_way_to_copy_a_tile_leaves_it_as_the_host_says(
    binding: CtypesBinding, toolchain: str, way: str
) -> None:
    batch = visit(binding, ways()[way], WALK)
    assert (batch.status, batch.reason) == ("ok", "")
    assert batch.columns["repetitions"][0] == 15


@pytest.mark.parametrize("row", [32, 64, 128])
def test_a_tile_that_was_not_swizzled_is_wrong(
    binding: CtypesBinding, toolchain: str, row: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_TILES", "plain")
    batch = visit(binding, ways()[f"row={row},swizzle=yes,bytes=8192"], WALK)
    assert batch.status == "invalid"
    moved = {32: 1024, 64: 1536, 128: 1792}[
        row
    ]  # pieces in lines of another number than a multiple of theirs
    assert f"{moved} of 2048 words of a tile are not those that have to lie there" in batch.reason


def test_all_ways_share_a_program() -> None:
    made = ways()
    assert len({one.setup["kernel"] for one in made.values()}) == 2  # one a probe
    assert made["row=64,swizzle=yes,bytes=8192"].setup["swizzle"] == 64
    assert made["row=64,swizzle=no,bytes=8192"].setup["swizzle"] == 0
    promoted = made["promotion=256,row=32,bytes=8192"].setup
    assert (promoted["promotion"], promoted["step"]) == (256, 8)


def test_rows_and_pieces_of_the_widest_pattern() -> None:
    """CUTLASS's `Swizzle<3, 4, 3>`: in line n of eight the pieces 0 1 2 ... come as 0^n 1^n 2^n ..."""
    tile = np.arange(16 * 32, dtype=np.uint32).reshape(16, 32)
    lain = layout.lain(tile, 128).reshape(16, 8, 4)
    for line in range(16):
        assert [int(piece[0]) // 4 % 8 for piece in lain[line]] == [at ^ (line % 8) for at in range(8)]
    assert (layout.lain(tile, 0) == tile.reshape(-1)).all()


def test_a_device_that_hides_its_second_level(
    binding: CtypesBinding, toolchain: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binding, "attribute", lambda which: 0 if which == SECOND_LEVEL else 4)
    with pytest.raises(Unsupported, match="how large the second-level cache is"):
        visit(binding, ways()["promotion=64,row=32,bytes=8192"], WALK)


def test_the_kernel_finds_the_tile_and_not_what_lies_between_its_rows(binding: CtypesBinding) -> None:
    assert launched(binding) == wanted()


def test_a_tile_that_no_copy_can_take_is_refused(binding: CtypesBinding) -> None:
    with pytest.raises(LaunchError, match="cuTensorMapEncodeTiled"):
        binding.tensor_map(TensorTile(binding.allocate(1 << 20), 512, 2, 4096))


def test_a_driver_that_has_none_here(binding: CtypesBinding, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_NO_MAPS", "1")
    with pytest.raises(Unsupported, match="says that this device or driver has none"):
        binding.tensor_map(TensorTile(binding.allocate(4096), 16, 4, 128))


def test_a_driver_too_old_for_tensor_maps(tmp_path: Path, toolchain: str) -> None:
    old = stand_in.build(tmp_path, "-DWITHOUT_TENSOR_MAPS")
    if old is None:
        pytest.skip("no C compiler is here to build a stand-in for the driver")
    with pytest.raises(Unsupported, match="this driver has no cuTensorMapEncodeTiled"):
        visit(CtypesBinding(str(old)), tiles()[1024])


@pytest.mark.parametrize(("swizzle", "columns"), [(32, 16), (64, 32), (128, 64)])
def test_a_row_longer_than_its_pattern_is_refused(binding: CtypesBinding, swizzle: int, columns: int) -> None:
    with pytest.raises(LaunchError, match="cuTensorMapEncodeTiled"):
        binding.tensor_map(TensorTile(binding.allocate(1 << 16), columns, 8, 4 * columns, swizzle=swizzle))


def walked(binding: CtypesBinding) -> bytes:
    """What a walk leaves of a swizzled tile of 8 x 16 words in rows of 24: its third place."""
    address, out, clocks = (binding.allocate(4096) for _ in range(3))
    binding.write(address, np.arange(16 * 24, dtype=np.uint32).tobytes())
    tile = binding.tensor_map(TensorTile(address, 8, 16, 96, width=24, swizzle=32, promotion=256))
    function = binding.function(binding.load(WALK), "probe_walk")
    arguments = [(tile, MAP_BYTES), (512, 4), (3, 4), (8, 4), (out, 8), (clocks, 8)]
    binding.launch(function, (1, 1, 1), (32, 1, 1), 512, arguments)
    binding.synchronize()
    return binding.read(out, 512)


def there() -> bytes:
    """The same by hand: in every second line of 128 bytes both pieces of a row change places."""
    tile = np.arange(16 * 24, dtype=np.uint32).reshape(16, 24)[:, 16:]
    rows = [np.concatenate([row[4:], row[:4]]) if at // 4 % 2 else row for at, row in enumerate(tile)]
    return np.concatenate(rows).tobytes()


def test_a_walk_by_hand(binding: CtypesBinding) -> None:
    assert walked(binding) == there()


def launched(binding: CtypesBinding) -> int:
    """What the kernel leaves of a tile of 16 x 4 words in rows of 32."""
    address, out, clocks = (binding.allocate(4096) for _ in range(3))
    binding.write(address, np.arange(128, dtype=np.uint32).tobytes())
    tile = binding.tensor_map(TensorTile(address, 16, 4, 128))
    function = binding.function(binding.load(KERNEL), "probe_tile")
    arguments = [(tile, MAP_BYTES), (256, 4), (16, 4), (out, 8), (clocks, 8)]
    binding.launch(function, (1, 1, 1), (32, 1, 1), 256, arguments)
    binding.synchronize()
    return int.from_bytes(binding.read(out, 4), "little")


def wanted() -> int:
    """The sum of its words."""
    return int(np.arange(128).reshape(4, 32)[:, :16].sum())


def of_script(driver: Path, name: str) -> subprocess.CompletedProcess[str]:
    """What another binding makes of a tile and of a walk, in a process that finds the stand-in there."""
    there = os.pathsep.join([str(stand_in.ROOT), os.environ.get("PYTHONPATH", "")])
    told = os.environ | {
        "LD_LIBRARY_PATH": str(driver), "PYTHONPATH": there, "REPORTGEN_CUDA_BINDING": name,
    }  # fmt: skip
    command = [sys.executable, "-c", SCRIPT]
    return subprocess.run(command, env=told, capture_output=True, text=True, check=False)


SCRIPT = """
from reportgen.backends.cuda import binding
from tests.unit.backends.cuda.test_device_tiles import launched, there, walked
opened = binding.choose()
opened.open(0)
kernel = opened.function(opened.load(b"stand-in ioc 128 fine\\0"), "probe_x")
print(opened.name, launched(opened), walked(opened) == there(), opened.resident(kernel, 128, 16384))
"""


def test_another_binding_passes_it_too(tmp_path: Path) -> None:
    """NVIDIA's own; pycuda's way past itself is tested with the rest of pycuda."""
    if find_spec("cuda") is None or find_spec("cuda.bindings") is None:
        pytest.skip("cuda-bindings is not installed")
    library = stand_in.build(tmp_path, "-DWITH_PROC_ADDRESS")
    if library is None:
        pytest.skip("no C compiler is here to build a stand-in for the driver")
    done = of_script(library.parent, "cuda-bindings")
    if "ImportError" in done.stderr:
        pytest.skip("cuda-bindings asks a driver for more than the stand-in has")
    assert done.stdout.split() == ["cuda-bindings", str(wanted()), "True", "13"], done.stderr
