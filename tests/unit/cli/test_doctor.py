"""What `doctor` says of a machine: what is absent, and whether that keeps anything from being measured."""

from __future__ import annotations

import json
from importlib.util import find_spec as found
from pathlib import Path
from typing import Any

import pytest

from reportgen.backends import registry
from reportgen.backends.base import Candidate
from reportgen.runs.schema import Device
from tests.unit.cli.test_commands import call

GPU = Candidate("cuda:0", Device("nvidia-h200", "cuda", "NVIDIA", "NVIDIA H200", "sm_90", cores=132))
REFUSED = Candidate("cuda:0", GPU.device, "no driver")


@pytest.mark.parametrize(
    ("candidate", "absent", "state", "code"),
    [
        (GPU, "llvmlite", "note", 0),
        (GPU, "mkdocs", "note", 0),
        (GPU, "pyarrow", "missing", 3),
        (REFUSED, "llvmlite", "missing", 3),
    ],
)
def test_a_gpu_is_measured_without_what_only_cpus_need(
    candidate: Candidate, absent: str, state: str, code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def spec(name: str, *rest: Any) -> Any:
        return None if name == absent else found(name, *rest)

    monkeypatch.setattr(registry, "discover", lambda: [candidate])
    monkeypatch.setattr("reportgen.cli.doctor.find_spec", spec)
    monkeypatch.setattr("reportgen.cli.doctor._surroundings", lambda _: iter(()))
    result = call("doctor", "--data", tmp_path, "--json")
    rows = {row["check"]: row["state"] for row in json.loads(result.stdout)}
    assert rows[absent] == state
    assert result.exit_code == code
