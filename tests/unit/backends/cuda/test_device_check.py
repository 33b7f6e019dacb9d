"""The ten-second check: what it says on a GPU that is right, on one that is not, and without any."""

from __future__ import annotations

import pytest

from reportgen.backends.base import Candidate
from reportgen.backends.cuda import check, driver, targets
from reportgen.backends.cuda.launcher import CudaLauncher
from tests.simulated.host_gpu import WINDOW, HostGpu

DEVICE = targets.device(targets.parse("sm_90"))
SETUP = {"kernel": "x", "arguments": "input:float; output:float; clocks:unsigned", "threads": 32}


def test_a_chain_takes_what_its_machine_code_says(toolchain: str) -> None:
    gpu = HostGpu(setup=dict(SETUP))
    launcher = CudaLauncher(0, DEVICE, gpu)
    said = list(check.check(Candidate("cuda:0", DEVICE), launcher))
    assert [right for right, _ in said] == [True] * 5
    assert said[3][1] == f"32 multiply-adds take [{WINDOW}] cycles, the machine code says {WINDOW}"
    assert said[4][1] == "the clock runs at 1.980 GHz"


def test_no_gpu(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(driver, "ask", lambda: driver.Answer(reason="no driver", remedy="Install one."))
    assert check.main([]) == 3
    assert "cuda:0: no driver. Install one." in capsys.readouterr().out
    assert check.main(["--selector"]) == 0
    assert capsys.readouterr().out == ""
