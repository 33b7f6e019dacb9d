"""The child process: `python -m reportgen.collect.worker SELECTOR ROLE`, role `build` or `measure`.

A crash, a hang or an assembler that ends its process must cost one point, not the run.  Requests
come on stdin; replies leave on a copy of stdout, while stdout itself is turned to stderr, so
that whatever a library prints becomes the reason the supervisor reads and not a broken reply.
Nothing heavy is imported here: a restart costs what the backend costs.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from typing import BinaryIO

import msgspec

from reportgen.backends.base import Backend, Build, Builder, Generator, Launcher
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
    request,
)
from reportgen.errors import CompileError, DeviceLost, LaunchError, Unsupported, UserError
from reportgen.runs.schema import Device
from reportgen.status import Status


class Bench:
    """The roles this worker plays, made once the device is known."""

    def __init__(self, backend: Backend, role: str) -> None:
        self._backend = backend
        self._role = role
        self._generator: Generator | None = None
        self._builder: Builder | None = None
        self._launcher: Launcher | None = None

    def answer(self, message: Hello | Make | Visit) -> Reply:
        """One reply to one request; an error becomes a status with its reason."""
        try:
            if isinstance(message, Hello):
                return self._hello(message.selector, message.device, message)
            if isinstance(message, Make):
                return self._make(message)
            return self._visit(message)
        except Unsupported as error:
            return Fault(Status.UNSUPPORTED, str(error))
        except PermissionError as error:
            return Fault(Status.NOT_PERMITTED, f"the operating system refuses: {error}")
        except DeviceLost as error:
            return Fault(Status.FAILED, str(error), last=True)
        except (CompileError, LaunchError, UserError) as error:
            return Fault(Status.FAILED, str(error))
        except MemoryError as error:  # Python's own says nothing, a device's says whose it is
            return Fault(Status.FAILED, str(error) or "not enough memory for the buffers of this point")
        except Exception as error:  # noqa: BLE001 - one point's fault is a row, the run goes on
            traceback.print_exc()
            return Fault(Status.FAILED, f"{type(error).__name__}: {error}")

    def _hello(self, selector: str, device: Device, message: Hello) -> Reply:
        if self._role == "build":
            self._generator = self._backend.generator(device, message.operations)
            self._builder = self._backend.builder(device)
        else:
            self._launcher = self._backend.launcher(selector, device)
        return Ready()

    def _make(self, message: Make) -> Reply:
        if self._generator is None or self._builder is None:
            raise LaunchError("this worker does not build")
        source = self._generator.generate(message.probe, message.point)
        try:
            build = self._builder.build(source)
        except CompileError as error:
            build = Build(message.point.id, status=Status.FAILED, reason=str(error))
        return Made(build, source.work, source.setup)

    def _visit(self, message: Visit) -> Reply:
        if self._launcher is None:
            raise LaunchError("this worker does not measure")
        begun = time.perf_counter()
        batch = self._launcher.measure(message.order)
        # Buffers are taken and given back around what the launcher times itself: all that is set-up.
        unclaimed = time.perf_counter() - begun - sum(batch.seconds.values())
        if batch.seconds and unclaimed > 0:
            setup = batch.seconds.get("setup", 0.0) + unclaimed
            batch = msgspec.structs.replace(batch, seconds=batch.seconds | {"setup": setup})
        return Visited(batch)


def serve(backend: Backend, role: str) -> None:
    """Answer requests until stdin ends."""
    replies = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    # Ctrl-C is for the runner: it stops its workers between two points.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    bench = Bench(backend, role)
    stdin = sys.stdin.buffer
    while (body := _read(stdin)) is not None:
        message = request(body)
        # Should the runner be killed while a program hangs, nobody is left to stop this process.
        patience = 0.0 if isinstance(message, Hello) else message.patience
        signal.setitimer(signal.ITIMER_REAL, patience)
        answer = bench.answer(message)
        signal.setitimer(signal.ITIMER_REAL, 0)
        replies.write(pack(answer))
        if isinstance(answer, Fault) and answer.last:
            # A spoilt context may hang whoever tidies up.
            os._exit(0)


def _read(stream: BinaryIO) -> bytes | None:
    head = stream.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    (size,) = LENGTH.unpack(head)
    body = stream.read(size)
    return body if len(body) == size else None


def main(selector: str, role: str) -> None:
    """Serve the backend that `selector` names."""
    from reportgen.backends import registry

    serve(registry.get(selector), role)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
