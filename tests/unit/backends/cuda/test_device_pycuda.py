"""Real pycuda, where it is installed, driven through the stand-in of the driver: the same statuses."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.simulated import stand_in
from tests.unit.backends.cuda import test_device_tiles

SCRIPT = """
import sys
from reportgen.backends.base import Order
from reportgen.backends.cuda import binding, compiler
from reportgen.backends.cuda.launcher import CudaLauncher
from tests.simulated.stand_in import DEVICE
# NVRTC asks the driver that it finds for more than the stand-in knows
compiler.compile_kernels = lambda kernels, _: {kernel.name: b"\\x7fELF" + bytes(60) for kernel in kernels}
try:
    launcher = CudaLauncher(0, DEVICE, binding.choose())
except Exception as error:
    print(type(error).__name__, error)
    sys.exit()
setup = {"kernel": "probe_x", "arguments": "input:float; output:unsigned; clocks:unsigned", "threads": 32}
wide = {"kernel": "probe_cluster_16", "blocks": 16, "cluster": 16, "portable": 0, "dynamic_bytes": 49152}
for how in sys.argv[1:]:
    code = f"stand-in ioc 128 {how.removeprefix('wide-')}\\0".encode()
    given = setup | (wide if how.startswith("wide-") else {})
    try:
        batch = launcher.measure(Order("p", code, "s", given, 0.01, 0.0, 1, 0))
        print(how, batch.facts["binding"], batch.status, batch.columns["ticks"][0])
    except Exception as error:
        print(how, type(error).__name__, error)
"""
LATE = (
    SCRIPT.partition("setup =")[0]
    + """
import ctypes
base = {"arguments": "input:float; output:unsigned; clocks:unsigned", "threads": 1, "turns": 4}
for kernel, kind in (("probe_x", "crowd"), ("probe_y", "saturated")):
    setup = base | {"kernel": kernel, "kind": kind, "blocks_each": 2}
    launcher.measure(Order("p", b"stand-in ioc 128 fine\\0", "s", setup, 0.01, 0.0, 1, 0))
print(ctypes.CDLL("libcuda.so.1").stand_in_alive(ord("l")))
"""
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("driver")
    if why := stand_in.build_for_pycuda(made):
        pytest.skip(why)
    return made


def run(folder: Path, *how: str, script: str = SCRIPT, **environment: str) -> list[str]:
    there = os.pathsep.join([str(stand_in.ROOT), os.environ.get("PYTHONPATH", "")])
    told = os.environ | {"LD_LIBRARY_PATH": str(folder), "PYTHONPATH": there} | environment
    command = [sys.executable, "-c", script, *how]
    return subprocess.run(command, env=told, capture_output=True, text=True, check=True).stdout.splitlines()


def test_programs(folder: Path) -> None:
    said = run(folder, "fine", "wrong", "still", "refused", "fault", "fine")
    assert said[:3] == ["fine pycuda ok 128", "wrong pycuda invalid 128", "still pycuda invalid 0"]
    assert said[3].startswith("refused LaunchError cuLaunchKernel")
    assert said[4].startswith("fault DeviceLost")
    assert "700" in said[4]
    assert said[5].startswith("fine DeviceLost")


def test_a_cluster_that_does_not_fit_is_no_failure(folder: Path) -> None:
    (said,) = run(folder, "misfit")
    assert said.startswith("misfit Unsupported cuLaunchKernel")
    assert "912" in said


def test_attributes_that_pycuda_does_not_name_are_set_past_it(folder: Path) -> None:
    assert run(folder, "wide-fine", "fine", "wide-refused")[:2] == [
        "wide-fine pycuda ok 128",
        "fine pycuda ok 128",
    ]


def test_kernels_are_loaded_before_the_device_is_held_up_for_them(folder: Path) -> None:
    assert run(folder, script=LATE) == ["0"]


def test_tensor_maps_and_occupancy_go_past_it(folder: Path) -> None:
    done = test_device_tiles.of_script(folder, "pycuda")
    wanted = ["pycuda", str(test_device_tiles.wanted()), "True", "13"]
    assert done.stdout.split() == wanted, done.stderr


@pytest.mark.parametrize("code", ["34", "100", "803", "999"])
def test_a_driver_that_does_not_start(folder: Path, code: str) -> None:
    said = run(folder, "fine", STAND_IN_INIT=code)
    assert f"error {code}" in said[0]
