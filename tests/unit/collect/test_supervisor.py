"""A worker that dies, hangs or talks costs one request, and says why."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from reportgen.backends.base import Order
from reportgen.collect.messages import Fault, Hello, Made, Make, Visit, Visited
from reportgen.collect.supervisor import Supervisor
from reportgen.errors import RunRefused
from reportgen.suite.expand import points, probes
from tests.simulated.faulty import DEVICE, command, suite

SECONDS = 20.0


def order(how: str) -> Visit:
    return Visit(Order(how, b"", "", {"how": how}, 0.0, 0.0, 1, 1))


@pytest.fixture
def worker() -> Iterator[Supervisor]:
    with Supervisor(command("faulty", "measure"), Hello("faulty", DEVICE)) as supervisor:
        yield supervisor


def test_a_worker_that_was_killed_is_replaced_and_the_signal_named(worker: Supervisor) -> None:
    assert isinstance(worker.visit(order("fine"), SECONDS), Visited)
    answer = worker.visit(order("killed"), SECONDS)
    assert isinstance(answer, Fault)
    assert answer.status == "failed"
    assert "SIGKILL" in answer.reason
    assert isinstance(worker.visit(order("fine"), SECONDS), Visited)


def test_a_worker_that_was_sent_away_is_replaced(worker: Supervisor) -> None:
    worker.leave()  # none runs
    assert isinstance(worker.visit(order("fine"), SECONDS), Visited)
    worker.leave()
    assert isinstance(worker.visit(order("fine"), SECONDS), Visited)


def test_a_worker_that_hangs_is_stopped_at_the_deadline(worker: Supervisor) -> None:
    answer = worker.visit(order("hung"), 0.3)
    assert answer == Fault("timed_out", "no answer within 0.3 s; the worker was stopped", last=True)
    assert isinstance(worker.visit(order("fine"), SECONDS), Visited)


def test_the_last_words_of_a_worker_are_the_reason(worker: Supervisor) -> None:
    # What an earlier request printed is not taken for them.
    assert worker.visit(order("raises"), SECONDS) == Fault("failed", "ValueError: no such register")
    answer = worker.visit(order("exits"), SECONDS)
    assert answer == Fault(
        "failed", "the worker ended with exit code 1: LLVM ERROR: Cannot select", last=True
    )
    silent = worker.visit(order("killed"), SECONDS)
    assert isinstance(silent, Fault)
    assert silent.reason.endswith("killed by hand)")


def test_a_refusal_of_the_operating_system_is_not_permitted(worker: Supervisor) -> None:
    answer = worker.visit(order("refused"), SECONDS)
    assert isinstance(answer, Fault)
    assert answer.status == "not_permitted"


def test_an_assembler_that_ends_its_process_names_the_mnemonic() -> None:
    asked = suite("bad mnemonic", "fine")
    (probe, _) = probes(asked, "none")
    planned = points(probe, DEVICE, {})
    with Supervisor(command("faulty", "build"), Hello("faulty", DEVICE)) as worker:
        answer = worker.make(Make(probe, planned[0]), SECONDS)
        assert isinstance(answer, Fault)
        assert answer.reason.endswith("error: invalid instruction mnemonic 'foo'")
        made = worker.make(Make(probe, planned[1]), SECONDS)
        assert isinstance(made, Made)
        assert made.work == {"instructions": 4.0}


@pytest.mark.parametrize("first", [True, False], ids=["it dies before it is asked", "it may be asked first"])
def test_a_worker_that_does_not_start_is_reported_with_its_last_words(
    first: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if first:
        started = subprocess.Popen.__init__

        def ended(self: subprocess.Popen[bytes], *arguments: Any, **named: Any) -> None:
            started(self, *arguments, **named)
            self.wait()

        monkeypatch.setattr(subprocess.Popen, "__init__", ended)
    worker = Supervisor([sys.executable, "-c", "import no_such_module"], Hello("faulty", DEVICE))
    with worker, pytest.raises(RunRefused, match="No module named 'no_such_module'") as raised:
        worker.visit(order("fine"), SECONDS)
    assert "doctor" in raised.value.remedy


def test_a_worker_leaves_when_nobody_listens_any_more(worker: Supervisor) -> None:
    worker.start()
    process = worker._process
    assert process is not None
    worker.close()
    assert process.returncode == 0


def test_a_worker_imports_nothing_heavy() -> None:
    check = (
        "import sys; import reportgen.collect.worker; "
        "print([name for name in ('pandas', 'scipy', 'pyarrow', 'numpy', 'rich') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
