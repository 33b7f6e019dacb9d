"""What a worker says of a request that it cannot meet."""

from __future__ import annotations

from typing import Any

import pytest

from reportgen.collect.messages import Fault, Hello
from reportgen.collect.worker import Bench
from reportgen.runs.schema import Device
from reportgen.status import Status

DEVICE = Device("gpu", "cuda", "NVIDIA", "GPU", "sm_90", cores=1)


class Full:
    """A backend whose device has no room for a launcher."""

    def __init__(self, *said: str) -> None:
        self._said = said

    def launcher(self, selector: str, device: Device) -> Any:
        raise MemoryError(*self._said)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            ["cuDevicePrimaryCtxRetain: the device has not enough free memory"],
            "cuDevicePrimaryCtxRetain: the",
        ),
        ([], "not enough memory for the buffers"),
    ],
)
def test_whose_memory_is_full(said: list[str], reason: str) -> None:
    answer = Bench(Full(*said), "measure").answer(Hello("cuda:0", DEVICE))  # type: ignore[arg-type]
    assert isinstance(answer, Fault)
    assert (answer.status, answer.reason[: len(reason)]) == (Status.FAILED, reason)
