"""The ten-second check: what it says on a GPU that is right, on one that is not, and without any."""

from __future__ import annotations

import pytest

from reportgen.backends.base import Candidate
from reportgen.backends.cuda import check, driver, targets
from reportgen.backends.cuda.launcher import CudaLauncher
from tests.simulated.gpu_truth import source
from tests.simulated.host_gpu import WINDOW, HostGpu

DEVICE = targets.device(targets.parse("sm_90"))
PREDICTED = 128


class Chained(HostGpu):
    """Whose chain takes so many cycles."""

    cycles = WINDOW

    def spans(self, blocks: int, each: int) -> list[int]:
        return [self.cycles] * (blocks * each)


@pytest.mark.parametrize(
    ("cycles", "right"), [(126, True), (128, True), (143, True), (160, False), (96, False)]
)
def test_a_chain_takes_what_its_machine_code_says(toolchain: str, cycles: int, right: bool) -> None:
    """Steps of 3 or 5 cycles are told; clock reads may cost some (15 cycles were seen on an H800)."""
    gpu = Chained(setup=dict(source("instruction_latency/fp32_fma", length=32).setup))
    gpu.cycles = cycles
    launcher = CudaLauncher(0, DEVICE, gpu)
    said = list(check.check(Candidate("cuda:0", DEVICE), launcher))
    assert [good for good, _ in said] == [True, True, True, right, True]
    assert said[3][1] == f"32 multiply-adds take {cycles} cycles, the machine code says {PREDICTED}"
    assert said[4][1] == "the clock runs at 1.980 GHz"


def test_no_gpu(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(driver, "ask", lambda: driver.Answer(reason="no driver", remedy="Install one."))
    assert check.main([]) == 3
    assert "cuda:0: no driver. Install one." in capsys.readouterr().out
    assert check.main(["--selector"]) == 0
    assert capsys.readouterr().out == ""
