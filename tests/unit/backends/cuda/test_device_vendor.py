"""The driver's copy, cuBLAS and cuBLASLt through stand-ins, and what a launch costs."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from reportgen.backends.base import Batch, Order, Source
from reportgen.backends.cuda import budget, calls, targets, vendor, vendor_gemm, vendor_lt
from reportgen.backends.cuda.builder import CudaBuilder
from reportgen.backends.cuda.clock import Frame
from reportgen.backends.cuda.generator import CudaGenerator
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.backends.cuda.vendor_gemm import KINDS
from reportgen.errors import LaunchError, Unsupported
from reportgen.suite import expand
from reportgen.suite.definition import PlannedPoint
from reportgen.suite.load import load_suite
from tests.simulated import stand_in
from tests.simulated.host_gpu import HostGpu

NS = 50_000
"""That a launch takes on the simulated device."""


class Host(HostGpu):
    """A copy within the device takes time."""

    wrong_copy = False

    def copy(self, target: int, source: int, size: int) -> None:
        self.now += NS
        if not self.wrong_copy:
            super().copy(target, source, size)


@pytest.fixture(scope="module")
def blas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both libraries."""
    cc = shutil.which("gcc") or shutil.which("cc")
    if cc is None:
        pytest.skip("no C compiler is here to build a stand-in for cuBLAS")
    made = tmp_path_factory.mktemp("blas")
    for stem in ("cublas", "cublasLt"):
        source = stand_in.SOURCE.with_name(f"lib{stem}.c")
        to = made / f"lib{stem}.so.13"
        command = [cc, "-shared", "-fPIC", "-O1", "-o", to, source, "-lm"]
        subprocess.run(command, check=True, capture_output=True)
    return made


@pytest.fixture(scope="module")
def launcher(toolchain: str) -> tuple[CudaLauncher, Host]:
    gpu = Host()
    return CudaLauncher(0, stand_in.DEVICE, gpu), gpu


def source(probe: str, isa: str = "sm_90", **settings: int | str) -> Source:
    suite = load_suite()
    found = next(one for one in expand.probes(suite, isa) if one.id == probe)
    device = msgspec.structs.replace(stand_in.DEVICE, isa=isa)
    generator = CudaGenerator(device, suite.tables["cuda"])
    return generator.generate(found, PlannedPoint(f"{probe}#here", probe, dict(settings)))


def order(made: Source) -> Order:
    return Order(made.point, b"", "", made.setup, 0.002, 0.0, 7, 0)


def asked(precision: str, n: int = 64) -> Order:
    setup: dict[str, int | float | str] = {
        "kind": "vendor",
        "routine": "gemm",
        "n": n,
        "precision": precision,
    }
    return Order("p", b"", "", setup, 0.002, 0.0, 7, 0)


def library(blas: Path, precision: str) -> str:
    """The one that has products of it."""
    return str(blas / f"lib{'cublasLt' if KINDS[precision].light else 'cublas'}.so.13")


def product(gpu: Host, blas: Path, precision: str, n: int = 64) -> Batch:
    gpu.now += 1
    frame = Frame(gpu, "sm_90")

    def hold(microseconds: float) -> None:
        gpu.now += 1  # a call of the stand-in takes no time on the simulated device

    frame.hold = hold  # type: ignore[method-assign]
    ticking = gpu.record

    def record(event: list[int]) -> None:
        gpu.now += NS
        ticking(event)

    gpu.record = record  # type: ignore[method-assign]
    try:
        return vendor.measure(asked(precision, n), gpu, frame, library(blas, precision))
    finally:
        del gpu.record


def test_the_drivers_copy(launcher: tuple[CudaLauncher, Host]) -> None:
    made = source("memory_hierarchy/vendor_copy", kernel="vendor_copy", blocks=0, width=0, bytes=3 << 20)
    assert made.work == {"bytes": float(6 << 20)}
    batch = launcher[0].measure(order(made))
    assert (batch.status, batch.facts["library"], batch.facts["binding"]) == ("ok", "the driver", "host")
    several = batch.columns["repetitions"][0]
    assert several == round(calls.LEAST_MS / 0.05)
    assert set(batch.columns["ticks"]) == {round(several * NS * 1.98)}
    assert len(launcher[1].memory_of) == 1  # the frame's own


def test_a_copy_that_copies_nothing(launcher: tuple[CudaLauncher, Host]) -> None:
    launcher[1].wrong_copy = True
    made = source("memory_hierarchy/vendor_copy", kernel="vendor_copy", blocks=0, width=0, bytes=1 << 16)
    batch = launcher[0].measure(order(made))
    launcher[1].wrong_copy = False
    assert (batch.status, set(batch.gates)) == ("invalid", {"wrong result"})
    assert "differs from what was copied" in batch.reason


@pytest.mark.parametrize("precision", sorted(KINDS))
def test_a_product_by_cublas(toolchain: str, blas: Path, precision: str) -> None:
    gpu = Host()
    batch = product(gpu, blas, precision)
    assert (batch.status, batch.reason) == ("ok", "")
    assert batch.facts["library"] == ("cuBLASLt 13.10" if precision == "fp8" else "cuBLAS 13.10")
    assert min(batch.columns["ticks"]) > 0
    assert len(gpu.memory_of) == 1  # the frame's own


@pytest.mark.parametrize("precision", sorted(KINDS))
@pytest.mark.parametrize("how", ["wrong", "plain"])
def test_a_product_that_is_wrong(
    toolchain: str, blas: Path, precision: str, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_BLAS", how)
    batch = product(Host(), blas, precision)
    assert (batch.status, set(batch.gates)) == ("invalid", {"wrong result"})
    assert "the product is wrong" in batch.reason


@pytest.mark.parametrize("precision", ["fp16", "fp8"])
@pytest.mark.parametrize(
    ("how", "error", "says"),
    [
        ("refused", LaunchError, r"cublas(GemmEx|LtMatmul): cuBLAS answers with status 13"),
        ("lacks", Unsupported, r"no FP(16|8) product for this device \(cublas.* answers with status 15\)"),
    ],
)
def test_a_product_that_is_refused(
    toolchain: str, blas: Path, precision: str, how: str, error: type[Exception], says: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("STAND_IN_BLAS", how)
    gpu = Host()
    with pytest.raises(error, match=says):
        product(gpu, blas, precision)
    assert len(gpu.memory_of) == 1


def test_a_heuristic_without_an_algorithm(
    toolchain: str, blas: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STAND_IN_BLAS", "none")
    with pytest.raises(Unsupported, match=r"no FP8 product .*Heuristic knows no algorithm"):
        product(Host(), blas, "fp8")


def test_descriptors_are_given_back(toolchain: str, blas: Path) -> None:
    vendor.once(asked("fp8"), Host(), library(blas, "fp8"))
    assert vendor_gemm.load(library(blas, "fp8")).stand_in_alive() == 0


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TRANSPOSED", 0),
        ("PLAIN", 1),
        ("A_SCALE", 16),
        ("FAST_ACCUM", 26),
        ("MAX_WORKSPACE", 2),
        ("WORKSPACE", 1 << 10),
        ("DATA", vendor_gemm.DATA | {"fp8": 29}),
        ("DATA", vendor_gemm.DATA | {"bf16": 2}),
    ],
)
def test_the_stand_in_refuses_any_other_call(
    toolchain: str, blas: Path, name: str, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vendor_lt, name, value)
    with pytest.raises((LaunchError, Unsupported), match=r"status (7|15)"):
        vendor.once(asked("fp8"), Host(), library(blas, "fp8"))


HEADERS = ("cublas_api.h", "cublasLt.h", "library_types.h")


def test_constants_are_those_of_the_headers() -> None:
    """Where a toolkit or package with them is here."""
    spec = find_spec("nvidia")
    roots = [Path(place) for place in (spec.submodule_search_locations or [])] if spec else []
    roots.append(Path("/usr/local"))
    found = {
        name: next((path for root in roots for path in root.glob(f"*/include/{name}")), None)
        for name in HEADERS
    }
    if None in found.values():
        pytest.skip(
            "no headers of cuBLAS are here to compare with (pip install nvidia-cublas nvidia-cuda-crt)"
        )
    text = "".join(path.read_text(errors="replace") for path in found.values() if path is not None)
    told = {
        name: int(value)
        for name, value in re.findall(r"^\s*(CU[A-Z0-9_]+)\s*=\s*(\d+)\b", text, re.MULTILINE)
    }
    kinds = {
        "64F": "fp64",
        "32F": "fp32",
        "16F": "fp16",
        "16BF": "bf16",
        "8F_E4M3": "fp8",
        "8I": "int8",
        "32I": "int32",
    }
    assert {name: told[f"CUDA_R_{word}"] for word, name in kinds.items()} == vendor_gemm.DATA
    computes = {"fp64": "64F", "fp32": "32F", "fp8": "32F", "tf32": "32F_FAST_TF32", "int8": "32I"}
    for name, word in computes.items():
        assert KINDS[name].compute == told[f"CUBLAS_COMPUTE_{word}"]
    assert (told["CUBLAS_OP_T"], told["CUBLAS_OP_N"]) == (vendor_gemm.TRANSPOSED, vendor_gemm.PLAIN)
    refusals = (told["CUBLAS_STATUS_ARCH_MISMATCH"], told["CUBLAS_STATUS_NOT_SUPPORTED"])
    assert refusals == vendor_gemm.NOT_HERE
    attributes = {
        "TRANSA": vendor_lt.TRANSA, "TRANSB": vendor_lt.TRANSB, "A_SCALE_POINTER": vendor_lt.A_SCALE,
        "B_SCALE_POINTER": vendor_lt.B_SCALE, "FAST_ACCUM": vendor_lt.FAST_ACCUM,
    }  # fmt: skip
    assert {name: told[f"CUBLASLT_MATMUL_DESC_{name}"] for name in attributes} == attributes
    assert told["CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES"] == vendor_lt.MAX_WORKSPACE


def test_the_answer_of_the_heuristic_lies_as_in_c() -> None:
    """`cublasLtMatmulHeuristicResult_t`: 64 bytes, a size, a status, a float, 16 bytes."""
    places = [getattr(vendor_lt.Algorithm, name).offset for name, _ in vendor_lt.Algorithm._fields_]
    assert places == [0, 64, 72, 76, 80]
    assert ctypes.sizeof(vendor_lt.Algorithm) == 96


def test_no_cublas(tmp_path: Path) -> None:
    with pytest.raises(Unsupported, match=r"pip install nvidia-cublas \(450 MB\)"):
        vendor_gemm.load(str(tmp_path / "libcublas.so.13"))


@pytest.mark.parametrize("precision", sorted(KINDS))
def test_random_factors_lie_between_two_powers_of_two(precision: str) -> None:
    name = KINDS[precision].factor
    signed = vendor_gemm.numbers(name, vendor_gemm.values(name, 4096, np.random.default_rng(1)))
    assert abs(np.mean(signed < 0) - (0.5 if precision == "fp8" else 0)) < 0.05
    found = np.abs(signed)
    one = 128 if precision == "int8" else 1
    assert found.min() >= one / 2
    assert found.max() <= one
    assert abs(found.mean() / one - 0.75) < 0.04
    assert len(set(found)) >= 8


def truncated(products: NDArray[np.float64], bits: int) -> NDArray[np.float64]:
    """Sums of rows as matrix instructions take them: 32 at a time, so many bits below the largest of them."""
    total = np.zeros(len(products))
    for first in range(0, products.shape[1], 32):
        terms = np.concatenate([total[:, None], products[:, first : first + 32]], axis=1)
        unit = 2.0 ** (np.floor(np.log2(np.abs(terms).max(axis=1))) - bits)
        total = np.trunc(terms / unit[:, None]).sum(axis=1) * unit
    return total


def test_sums_of_few_bits_are_told_from_wrong_ones() -> None:
    """Of one sign they would be a tenth too small, of both they are hardly off."""
    rng = np.random.default_rng(5)
    left, right = (
        vendor_gemm.numbers("fp8", vendor_gemm.values("fp8", 64 * 8192, rng)).reshape(64, 8192) for _ in "ab"
    )
    errors = []
    for products in (left * right, np.abs(left * right)):
        wanted = products.sum(axis=1)
        errors.append(np.linalg.norm(truncated(products, 13) - wanted) / np.linalg.norm(wanted))
    assert errors[0] < 0.01 < KINDS["fp8"].tolerance
    assert errors[1] > 0.1


def test_eight_bit_floats() -> None:
    codes = bytes([0x00, 0x01, 0x08, 0x38, 0x7E, 0xB8])
    assert vendor_gemm.numbers("fp8", codes).tolist() == [0.0, 2.0**-9, 2.0**-6, 1.0, 448.0, -1.0]
    assert np.isnan(vendor_gemm.numbers("fp8", b"\x7f\xff")).all()


@pytest.mark.parametrize(
    ("precision", "work"),
    [
        ("fp64", {"flop": 16.0 * 2**30, "bytes": 24.0 * 2**22}),
        ("fp8", {"flop": 16.0 * 2**30, "bytes": 4.0 * 2**22}),
        ("int8", {"op": 16.0 * 2**30, "bytes": 6.0 * 2**22}),
    ],
)
def test_work_and_compulsory_bytes(precision: str, work: dict[str, float]) -> None:
    assert source(f"roofline/vendor_gemm_{precision}", n=2048).work == work


def test_the_plan_counts_a_product_by_the_rate_of_its_precision() -> None:
    """The largest one: 2^40 FLOP at least eight times, past the cap of 0.1 s, and its matrices filled."""
    made = {name: budget.seconds(source(f"roofline/vendor_gemm_{name}", n=8192)) for name in ("fp8", "fp64")}
    filled = {"fp8": 4 * 2**26 / 100e9, "fp64": 24 * 2**26 / 100e9}
    assert made["fp8"] == pytest.approx(0.108 + filled["fp8"])
    assert made["fp64"] == pytest.approx(0.008 + 8 * 2**40 / 4e13 + filled["fp64"])


def test_a_device_before_the_first_that_has_it() -> None:
    with pytest.raises(Unsupported, match="needs sm_89 or later: cuBLAS has no FP8 products before"):
        source("roofline/vendor_gemm_fp8", isa="sm_86", n=2048)


def test_nothing_of_the_vendors_is_built() -> None:
    made = source("roofline/vendor_gemm_fp16", n=2048)
    assert made.work == {"flop": 2.0 * 2048**3, "bytes": 6.0 * 2048**2}
    seen: list[str] = []
    (build,) = CudaBuilder().build_many([made], 1, seen.append)
    assert (build.status, build.code, seen) == ("unverified", b"", [made.point])
    suite = load_suite()
    probe = next(one for one in expand.probes(suite, "sm_90") if one.id == "roofline/vendor_gemm_fp16")
    target = CudaGenerator(targets.device(targets.parse("sm_90")), suite.tables["cuda"])
    with pytest.raises(Unsupported, match="needs a device"):
        target.generate(probe, PlannedPoint("x", probe.id, {"n": 64}))


@pytest.mark.parametrize("mode", ["queued", "waited"])
def test_what_a_launch_costs(launcher: tuple[CudaLauncher, Host], mode: str) -> None:
    made = source("gpu_execution/launch_overhead", mode=mode, blocks=8)
    launcher[1].setup = made.setup
    batch = launcher[0].measure(Order(made.point, b"code", "sha", made.setup, 0.002, 0.0, 7, 0))
    assert batch.status == "ok"
    assert set(batch.columns["repetitions"]) == {64}
    if mode == "queued":
        assert set(batch.columns["ticks"]) == {round(64 * NS * 1.98)}
    else:
        assert min(batch.columns["ticks"]) > 0
