"""Keeps one worker alive, and turns its death into a status with a reason."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Self

import msgspec

from reportgen.collect.messages import (
    LENGTH,
    Fault,
    Hello,
    Made,
    Make,
    Ready,
    Reply,
    Visit,
    Visited,
    pack,
    reply,
)
from reportgen.errors import RunRefused
from reportgen.status import Status

START_SECONDS = 60.0
"""A worker that does not answer its first message for so long (imports, device set-up) is stopped."""
LINGER_SECONDS = 2.0
"""Time to leave by itself after its input is closed."""
ORPHAN_SECONDS = 30.0
"""How long after the supervisor's own deadline a worker stops itself."""
PIPE = select.PIPE_BUF
"""Bytes that a pipe ready for writing takes without blocking."""
FAILED_STARTS = 3
"""Starts in a row that may fail before the run is given up (its journal is kept)."""
DEATH_SECONDS = 10.0
"""Time that a killed worker has to go: one that waits for a device in the kernel may never do."""


def command(selector: str, role: str) -> list[str]:
    """How a worker of a backend is started."""
    return [sys.executable, "-m", "reportgen.collect.worker", selector, role]


class Died(Exception):
    """The worker ended or was stopped."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.reason)
        self.fault = fault


class Supervisor:
    """One worker process, started when first needed and again after it died.

    Args:
        arguments: its command line.
        hello: the first message.
        late: whether there is no time for another try to start it.
    """

    def __init__(
        self, arguments: Sequence[str], hello: Hello, late: Callable[[], bool] = lambda: False
    ) -> None:
        self._late_for_more = late
        self._arguments = list(arguments)
        self._hello = hello
        self._process: subprocess.Popen[bytes] | None = None
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the supervisor
        self._heard = 0
        self._failed_starts = 0
        self._sent: set[str] = set()
        """Units of code that the running worker has; they need not cross the pipe at every visit."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close(patient=kind is None)

    def make(self, message: Make, seconds: float) -> Made | Fault:
        """Build one point within `seconds`."""
        answer = self._ask(Make(message.probe, message.point, seconds + ORPHAN_SECONDS), seconds)
        return answer if isinstance(answer, Made | Fault) else _confused(answer)

    def visit(self, message: Visit, seconds: float) -> Visited | Fault:
        """Measure one point within `seconds`."""
        self.start()
        order = message.order
        unit = order.unit or order.sha256
        if unit in self._sent:
            order = msgspec.structs.replace(order, code=b"")
        answer = self._ask(Visit(order, seconds + ORPHAN_SECONDS), seconds)
        if isinstance(answer, Visited):
            self._sent.add(unit)
        return answer if isinstance(answer, Visited | Fault) else _confused(answer)

    def start(self) -> None:
        """Start the worker if none is running.

        Raises:
            RunRefused: it failed to start several times in a row; the reason is its last words.
        """
        while self._process is None:
            self._sent.clear()
            self._hear()
            # Its own session: Ctrl-C in the terminal reaches the runner only.
            self._process = subprocess.Popen(
                self._arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                start_new_session=True,
                bufsize=0,
            )
            try:
                answer = self._exchange(pack(self._hello), START_SECONDS)
            except Died as death:
                answer = death.fault
            if isinstance(answer, Ready):
                self._failed_starts = 0
                return
            self._stop()
            self._failed_starts += 1
            if self._failed_starts >= FAILED_STARTS or self._late_for_more():
                why = answer.reason if isinstance(answer, Fault) else "an answer out of turn"
                raise RunRefused(
                    f"the worker process does not start: {why}.",
                    "'reportgen doctor' shows what is missing here.",
                )

    def kill(self) -> None:
        """End the worker at once, from whichever thread; a request in progress gets a `Fault`."""
        process = self._process
        if process is not None:
            process.kill()

    def close(self, patient: bool = True) -> None:
        """End the worker for good: let it leave by itself if `patient`, else kill it."""
        self.leave(patient)
        self._stderr.close()

    def leave(self, patient: bool = True) -> None:
        """End the worker that runs, likewise; the next request starts another one."""
        if self._process is not None:
            try:
                if self._process.stdin is not None:
                    self._process.stdin.close()
                self._process.wait(LINGER_SECONDS if patient else 0)
            except (subprocess.TimeoutExpired, OSError):
                pass
            self._stop()

    def _ask(self, message: Make | Visit, seconds: float) -> Reply:
        self.start()
        try:
            answer = self._exchange(pack(message), seconds)
        except Died as death:
            return death.fault
        if isinstance(answer, Fault) and answer.last:
            self._stop()
        return answer

    def _exchange(self, data: bytes, seconds: float) -> Reply:
        """Send a request and wait for its reply.

        Raises:
            Died: the worker ended, or was stopped at the deadline.
        """
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise RuntimeError("no worker is running")
        deadline = time.monotonic() + seconds
        self._send(process.stdin.fileno(), data, deadline, seconds)
        size = LENGTH.unpack(self._receive(process.stdout.fileno(), LENGTH.size, deadline, seconds))[0]
        answer = reply(self._receive(process.stdout.fileno(), size, deadline, seconds))
        self._hear()
        return answer

    def _hear(self) -> None:
        """What was written so far is no reason of what happens next.

        Before a worker starts and after an answer, never before a request: one that dies at its start may
        have said why by then.
        """
        self._heard = os.fstat(self._stderr.fileno()).st_size

    def _send(self, handle: int, data: bytes, deadline: float, seconds: float) -> None:
        view = memoryview(data)
        while view:
            _, ready, _ = select.select([], [handle], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise self._late(seconds)
            try:
                view = view[os.write(handle, view[:PIPE]) :]
            except BrokenPipeError:
                raise Died(self._bury()) from None

    def _late(self, seconds: float) -> Died:
        self._stop()
        reason = f"no answer within {seconds:g} s; the worker was stopped"
        return Died(Fault(Status.TIMED_OUT, reason, last=True))

    def _receive(self, handle: int, size: int, deadline: float, seconds: float) -> bytes:
        parts, missing = [], size
        while missing:
            ready, _, _ = select.select([handle], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise self._late(seconds)
            part = os.read(handle, missing)
            if not part:
                raise Died(self._bury())
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def _bury(self) -> Fault:
        """The worker closed its pipe: wait for its end, and say how it ended."""
        process = self._process
        code = None
        if process is not None:
            try:
                code = process.wait(LINGER_SECONDS)
            except subprocess.TimeoutExpired:
                code = None
        words = self._last_words()
        self._stop()
        if code is None:
            how = "the worker closed its pipe and went on"
        elif code < 0:
            how = f"the worker was ended by {_signal_name(-code)}"
        else:
            how = f"the worker ended with exit code {code}"
        return Fault(Status.FAILED, f"{how}: {words}" if words else how, last=True)

    def _last_words(self) -> str:
        """Of what it wrote since its start or its last answer: the last line with "error", else the last."""
        # pread: the worker writes through the same file offset, which a seek would move.
        handle = self._stderr.fileno()
        begin = max(self._heard, os.fstat(handle).st_size - 8192)
        lines = [line.strip() for line in os.pread(handle, 8192, begin).decode(errors="replace").splitlines()]
        lines = [line for line in lines if line]
        telling = [line for line in lines if "error" in line.lower()]
        return (telling or lines or [""])[-1][:300]

    def _stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if process.poll() is None:
            process.kill()
        with suppress(subprocess.TimeoutExpired):  # it is left behind, and holds nothing of ours
            process.wait(DEATH_SECONDS)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def _signal_name(number: int) -> str:
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    if name == "SIGKILL":
        return "SIGKILL (out of memory, or killed by hand)"
    return name


def _confused(answer: Reply) -> Fault:
    return Fault(Status.FAILED, f"the worker answered out of turn ({type(answer).__name__})")
