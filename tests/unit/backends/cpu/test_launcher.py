"""The launcher on this very processor: what it refuses, and that a visit's columns are whole."""

from __future__ import annotations

import platform
import sys

import pytest

from reportgen.backends import gates
from reportgen.backends.base import Order
from reportgen.backends.cpu.backend import CpuBackend
from reportgen.backends.cpu.launcher import CpuLauncher
from reportgen.errors import LaunchError
from reportgen.runs.schema import SAMPLE_COLUMNS
from reportgen.suite import expand
from reportgen.suite.load import load_suite

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64", reason="runs x86-64 machine code on Linux"
)


@pytest.fixture(scope="module")
def launcher() -> CpuLauncher:
    backend = CpuBackend()
    (candidate, *_) = backend.discover()
    return backend.launcher(candidate.selector, candidate.device)


@pytest.fixture(scope="module")
def order() -> Order:
    """One visit of the shortest chain of integer additions."""
    backend, suite = CpuBackend(), load_suite()
    device = backend.discover()[0].device
    table = suite.tables["x86_64"]
    (probe,) = (p for p in expand.probes(suite, "x86_64") if p.id == "instruction_latency/integer_add")
    point = expand.points(probe, device, table)[0]
    source = backend.generator(device, table).generate(probe, point)
    build = backend.builder(device).build(source)
    assert build.program is not None
    return Order(point.id, build.code, build.program.sha256, source.setup, 0.02, 0.0, 1, 0)


def changed(order: Order, **fields: object) -> Order:
    import msgspec

    return msgspec.structs.replace(order, **fields)


def test_a_visit_gives_whole_columns(launcher: CpuLauncher, order: Order) -> None:
    batch = launcher.measure(order)
    assert set(batch.columns) == set(SAMPLE_COLUMNS) - {"point", "gate", "pass", "order"}
    assert {len(column) for column in batch.columns.values()} == {len(batch.gates)}
    assert min(batch.columns["ticks"]) > 0
    assert batch.clock[0] > 0 and batch.clock[1] > 0  # noqa: PT018 - one reading of two clocks
    assert batch.stop


def test_a_program_sent_before_need_not_be_sent_again(launcher: CpuLauncher, order: Order) -> None:
    launcher.measure(order)
    assert launcher.measure(changed(order, code=b"")).columns["ticks"]


def test_a_program_never_sent_is_refused(launcher: CpuLauncher, order: Order) -> None:
    with pytest.raises(LaunchError, match="not been sent"):
        launcher.measure(changed(order, code=b"", sha256="0" * 64))


def test_code_other_than_the_inspected_is_refused(launcher: CpuLauncher, order: Order) -> None:
    with pytest.raises(LaunchError, match="not the program that was inspected"):
        launcher.measure(changed(order, code=order.code[:-1] + b"\x90", sha256="1" * 64))


def test_tiles_that_the_system_refuses_are_not_permitted(
    launcher: CpuLauncher, order: Order, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launcher, "_tiles", False)
    with pytest.raises(PermissionError, match="arch_prctl"):
        launcher.measure(changed(order, setup=order.setup | {"tiles": 1}))


def test_a_set_up_it_does_not_know_is_an_error(launcher: CpuLauncher, order: Order) -> None:
    with pytest.raises(LaunchError, match="does not know"):
        launcher.measure(changed(order, setup={"kind": "teapot"}))


def test_a_visit_in_windows_is_one_stretch_whose_first_window_counts(launcher: CpuLauncher) -> None:
    backend, suite = CpuBackend(), load_suite()
    device = backend.discover()[0].device
    table = suite.tables["x86_64"]
    (probe,) = (p for p in expand.probes(suite, "x86_64") if p.id == "roofline/sustained_fp32")
    (point,) = expand.points(probe, device, table)
    source = backend.generator(device, table).generate(probe, point)
    build = backend.builder(device).build(source)
    assert build.program is not None
    assert build.program.verdict == "verified"
    order = Order(point.id, build.code, build.program.sha256, source.setup, 0.05, 0.0, 1, 0)
    batch = launcher.measure(order)
    windows = int(batch.facts["windows"])
    assert len(batch.gates) == windows * device.cores
    assert sorted(set(batch.columns["sample"])) == list(range(windows))
    assert set(batch.gates) <= {gates.ACCEPTED, gates.MIGRATED}
    assert len(set(batch.columns["repetitions"])) == 1
    starts = [
        s for s, thread in zip(batch.columns["start"], batch.columns["thread"], strict=True) if not thread
    ]
    assert starts == sorted(starts)
