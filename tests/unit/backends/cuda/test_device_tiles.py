"""Copies of tiles by tensor map: what the driver is asked for, what a kernel is passed, drivers without."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from reportgen.backends.base import Batch, Order, Source
from reportgen.backends.cuda import targets
from reportgen.backends.cuda.binding import MAP_BYTES
from reportgen.backends.cuda.ctypes_binding import CtypesBinding
from reportgen.backends.cuda.generator import CudaGenerator
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.errors import LaunchError, Unsupported
from reportgen.suite import expand
from reportgen.suite.load import load_suite
from tests.simulated import stand_in

KERNEL = f"stand-in tssoc {stand_in.CYCLES} fine\0".encode()
"""The parameters of a copy by tensor map: map, bytes, rounds, output, clocks."""


def tiles() -> dict[int, Source]:
    """What the generator makes of the probe's own points, by their bytes."""
    suite, device = load_suite(), targets.device(targets.parse("sm_90"))
    probe = next(one for one in expand.probes(suite, "sm_90") if one.id == "memory_hierarchy/bulk_copy")
    generator = CudaGenerator(device, suite.tables["cuda"])
    points = expand.points(probe, device, suite.tables["cuda"])
    chosen = [point for point in points if point.settings["copy"] == "tile_load"]
    return {int(point.settings["bytes"]): generator.generate(probe, point) for point in chosen}


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


def visit(binding: CtypesBinding, made: Source) -> Batch:
    launcher = CudaLauncher(0, stand_in.DEVICE, binding)
    return launcher.measure(Order(made.point, KERNEL, "", made.setup, 0.001, 0.0, 7, 0))


@pytest.mark.parametrize("size", sorted(tiles()))
def test_every_size_of_the_probe_has_a_tile_that_the_driver_takes(
    binding: CtypesBinding, toolchain: str, size: int
) -> None:
    batch = visit(binding, tiles()[size])
    assert (batch.status, batch.reason) == ("ok", "")
    columns, rows = (int(word) for word in str(batch.facts["tile"]).split()[:3:2])
    assert 4 * columns * rows == size


def test_the_kernel_finds_the_tile_and_not_what_lies_between_its_rows(binding: CtypesBinding) -> None:
    assert launched(binding) == wanted()


def test_a_tile_that_no_copy_can_take_is_refused(binding: CtypesBinding) -> None:
    with pytest.raises(LaunchError, match="cuTensorMapEncodeTiled"):
        binding.tensor_map(binding.allocate(1 << 20), 512, 2, 4096)


def test_a_driver_that_has_none_here(binding: CtypesBinding, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STAND_IN_NO_MAPS", "1")
    with pytest.raises(Unsupported, match="says that this device or driver has none"):
        binding.tensor_map(binding.allocate(4096), 16, 4, 128)


def test_a_driver_too_old_for_tensor_maps(tmp_path: Path, toolchain: str) -> None:
    old = stand_in.build(tmp_path, "-DWITHOUT_TENSOR_MAPS")
    if old is None:
        pytest.skip("no C compiler is here to build a stand-in for the driver")
    with pytest.raises(Unsupported, match="this driver has no cuTensorMapEncodeTiled"):
        visit(CtypesBinding(str(old)), tiles()[1024])


def launched(binding: CtypesBinding) -> int:
    """What the kernel leaves of a tile of 16 x 4 words in rows of 32."""
    address, out, clocks = (binding.allocate(4096) for _ in range(3))
    binding.write(address, np.arange(128, dtype=np.uint32).tobytes())
    tile = binding.tensor_map(address, 16, 4, 128)
    function = binding.function(binding.load(KERNEL), "probe_tile")
    arguments = [(tile, MAP_BYTES), (256, 4), (16, 4), (out, 8), (clocks, 8)]
    binding.launch(function, (1, 1, 1), (32, 1, 1), 256, arguments)
    binding.synchronize()
    return int.from_bytes(binding.read(out, 4), "little")


def wanted() -> int:
    """The sum of its words."""
    return int(np.arange(128).reshape(4, 32)[:, :16].sum())


SCRIPT = """
from reportgen.backends.cuda import binding
from tests.unit.backends.cuda.test_device_tiles import launched
opened = binding.choose()
opened.open(0)
print(opened.name, launched(opened))
"""


@pytest.mark.parametrize(("name", "module"), [("pycuda", "pycuda"), ("cuda-bindings", "cuda.bindings")])
def test_other_bindings_pass_it_too(tmp_path: Path, name: str, module: str) -> None:
    if find_spec(module.partition(".")[0]) is None or find_spec(module) is None:
        pytest.skip(f"{name} is not installed")
    library = stand_in.build(tmp_path, "-DWITH_PROC_ADDRESS")
    if library is None:
        pytest.skip("no C compiler is here to build a stand-in for the driver")
    there = os.pathsep.join([str(stand_in.ROOT), os.environ.get("PYTHONPATH", "")])
    told = os.environ | {
        "LD_LIBRARY_PATH": str(library.parent), "PYTHONPATH": there, "REPORTGEN_CUDA_BINDING": name,
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], env=told, capture_output=True, text=True, check=False
    )
    if "ImportError" in done.stderr:
        pytest.skip(f"{name} asks a driver for more than the stand-in has")
    assert done.stdout.split() == [name, str(wanted())], done.stderr
