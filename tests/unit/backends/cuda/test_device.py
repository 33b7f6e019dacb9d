"""Targets and GPUs in the list of devices, with reasons; a driver made here fails in every known way."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from reportgen.backends import registry
from reportgen.backends.base import Candidate
from reportgen.backends.cuda import compiler, device, driver, environment, targets, toolkit
from reportgen.backends.cuda.backend import CudaBackend
from reportgen.errors import BackendUnavailable

DRIVER = r"""
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static int number(const char* name, int otherwise) {
  const char* text = getenv(name);
  return text ? atoi(text) : otherwise;
}
int cuDriverGetVersion(int* v) { *v = number("FAKE_VERSION", 13000); return 0; }
int cuInit(unsigned flags) {
  int code = number("FAKE_CODE", 0);
  if (code == -1) abort();
  if (code == -2) sleep(60);
  return code;
}
int cuDeviceGetCount(int* n) { *n = number("FAKE_COUNT", 1); return 0; }
int cuDeviceGetName(char* s, int n, int d) { strncpy(s, "NVIDIA H200", n); return 0; }
int cuDeviceTotalMem_v2(size_t* n, int d) { *n = (size_t)141 << 30; return 0; }
int cuDeviceGetAttribute(int* v, int which, int d) { *v = which == 75 ? 9 : which == 76 ? 0 : 132; return 0; }
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A libcuda that does what the environment says."""
    cc = shutil.which("gcc") or shutil.which("cc")
    if cc is None:
        pytest.skip("no C compiler is here to make a driver that fails")
    folder = tmp_path_factory.mktemp("driver")
    (folder / "fake.c").write_text(DRIVER)
    made = folder / "libcuda.so.1"
    subprocess.run([cc, "-shared", "-fPIC", "-o", made, folder / "fake.c"], check=True, capture_output=True)
    return str(made)


def candidates(found: list[Candidate]) -> dict[str, Candidate]:
    return {one.selector: one for one in found}


def test_no_driver() -> None:
    answer = driver.ask("libcuda-that-is-not-there.so.1")
    assert answer.gpus == ()
    assert "libcuda.so.1 cannot be loaded" in answer.reason
    assert "--device sm_90" in answer.remedy


@pytest.mark.parametrize(
    ("code", "reason", "remedy"),
    [
        (34, "is the stub", "LD_LIBRARY_PATH"),
        (100, "finds no GPU", "nvidia-smi"),
        (803, "of different versions", "Restart"),
        (999, "does not name", "/dev/nvidia*"),
        (1234, "fails with error 1234", "/dev/nvidia*"),
        (-1, "crashed", "/dev/nvidia*"),
    ],
)
def test_a_driver_that_fails(
    library: str, monkeypatch: pytest.MonkeyPatch, code: int, reason: str, remedy: str
) -> None:
    monkeypatch.setenv("FAKE_CODE", str(code))
    answer = driver.ask(library)
    assert answer.gpus == ()
    assert reason in answer.reason
    assert remedy in answer.remedy
    if code > 0:
        assert str(code) in answer.reason


def test_a_driver_that_hangs(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_CODE", "-2")
    monkeypatch.setattr(driver, "SECONDS", 0.5)
    assert "did not answer" in driver.ask(library).reason


def test_a_driver_without_devices(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_COUNT", "0")
    assert "finds no GPU" in driver.ask(library).reason


def test_a_driver_with_devices(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_COUNT", "2")
    answer = driver.ask(library)
    assert answer.reason == ""
    assert answer.version == 13000
    reported = dict.fromkeys(driver.REPORTED, 132)
    assert answer.gpus == (driver.Gpu("NVIDIA H200", 90, 132, 141 << 30, "", reported),) * 2


def answering(monkeypatch: pytest.MonkeyPatch, answer: driver.Answer) -> None:
    monkeypatch.setattr(driver, "ask", lambda: answer)


def test_every_published_target_is_listed(toolchain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, driver.Answer(reason="no driver", remedy="Install one."))
    found = candidates(CudaBackend().discover())
    assert {f"sm_{number}" for number in targets.PUBLISHED} <= set(found)
    assert found["sm_all"].reason == ""
    assert found["cuda:0"].reason == "no driver. Install one."
    for number in targets.PUBLISHED:
        assert (found[f"sm_{number}"].reason == "") == (number in compiler.supported())
        assert device.is_target(found[f"sm_{number}"].device)


def test_a_target_that_the_toolkit_lacks(monkeypatch: pytest.MonkeyPatch, toolchain: str) -> None:
    answering(monkeypatch, driver.Answer(reason="no driver", remedy=""))
    monkeypatch.setattr(compiler, "supported", lambda: (75, 80, 90))
    found = candidates(device.discover())
    assert found["sm_90"].reason == ""
    assert found["sm_121"].reason == f"{toolchain} does not build for it"


def test_no_toolkit(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> toolkit.Toolkit:
        raise BackendUnavailable("no CUDA compiler is here.", toolkit.REMEDY)

    monkeypatch.setattr(toolkit, "find", missing)
    answering(monkeypatch, driver.Answer(reason="no driver", remedy=""))
    found = candidates(device.discover())
    assert set(found) == {"sm_all", "cuda:0"}
    assert found["sm_all"].reason == "no CUDA compiler is here. Run: pip install 'reportgen[cuda-toolchain]'"


@pytest.mark.parametrize(
    ("capability", "version", "says"),
    [
        (90, 13000, ""),
        (90, 0, ""),
        (90, 12040, "the driver serves CUDA 12.4, older than the compiler"),
        (70, 13000, "no longer built"),
    ],
)
def test_a_gpu_says_why_it_is_not_measured(
    toolchain: str, monkeypatch: pytest.MonkeyPatch, capability: int, version: int, says: str
) -> None:
    monkeypatch.setattr(compiler, "version", lambda: "13.5.37")
    gpu = driver.Gpu("NVIDIA H200", capability, 132, 141 << 30)
    answering(monkeypatch, driver.Answer((gpu,), version))
    found = candidates(device.discover())["cuda:0"]
    assert says in found.reason
    assert bool(says) == bool(found.reason)
    assert found.device.id == "nvidia-h200"
    assert (found.device.isa, found.device.cores) == (f"sm_{capability}", 132)
    assert not device.is_target(found.device)


PARTS = [
    ("NVIDIA H200", "", "NVIDIA H200", "nvidia-h200", ""),
    ("NVIDIA H200", "100", "NVIDIA H200", "nvidia-h200", ""),
    ("NVIDIA H200", "all", "NVIDIA H200", "nvidia-h200", ""),
    ("NVIDIA H200", "50", "NVIDIA H200 MPS 50%", "nvidia-h200-mps-50", "may use 50% of its threads"),
    ("NVIDIA H200 MIG 1g.18gb", "", "NVIDIA H200 MIG 1g.18gb", "nvidia-h200-mig-1g-18gb", "a slice, not"),
]


@pytest.mark.parametrize(("driver_says", "share", "name", "key", "warned"), PARTS)
def test_a_part_of_a_device_is_named_as_one(
    monkeypatch: pytest.MonkeyPatch,
    toolchain: str,
    driver_says: str,
    share: str,
    name: str,
    key: str,
    warned: str,
) -> None:
    monkeypatch.setenv(device.SHARE, share)
    answering(monkeypatch, driver.Answer((driver.Gpu(driver_says, 90, 16, 18 << 30),), 13050))
    found = candidates(device.discover())["cuda:0"].device
    assert (found.name, found.id, found.reported.get("slice", 0)) == (name, key, int(bool(warned)))
    fields = environment.environment(found)
    assert warned in str(fields.get("warning", ""))
    assert ("mig_slice" in fields, "mps_share" in fields) == ("MIG" in name, "MPS" in name)


def test_a_display_or_a_watchdog_is_warned_of(monkeypatch: pytest.MonkeyPatch, toolchain: str) -> None:
    gpu = driver.Gpu("NVIDIA RTX 4090", 89, 128, 24 << 30, reported={"watchdog": 1})
    answering(monkeypatch, driver.Answer((gpu,), 13050))
    found = candidates(device.discover())["cuda:0"].device
    assert "a watchdog is on: the driver stops kernels" in str(environment.environment(found)["warning"])


def test_selectors_lead_to_the_backend() -> None:
    assert registry.get("sm_90").name == "cuda"
    assert registry.get("sm_all").name == "cuda"
    assert registry.get("cuda:0").name == "cuda"


def test_nothing_runs_on_a_target() -> None:
    backend, target = CudaBackend(), targets.device(targets.parse("sm_90"))
    with pytest.raises(BackendUnavailable, match="'sm_90' is a target of the compiler, not a device"):
        backend.launcher("sm_90", target)
    assert backend.counters(target).startswith("unsupported: ")
    assert backend.clock().calibration_cycles == 0
    assert set(backend.environment(target)) == {"os", "kernel", "python"}


def test_toolchain_of_a_run(toolchain: str) -> None:
    told = CudaBackend().toolchain(targets.device(targets.parse("sm_90")))
    assert told["target"] == "sm_90"
    assert set(told) == {
        "compiler", "compiler_version", "compiler_origin", "options", "target", "ptx_version", "nvdisasm",
    }  # fmt: skip
