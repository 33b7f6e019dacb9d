"""Every program of a plan, built and inspected before anything is timed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence

from reportgen.collect.messages import Fault, Hello, Made, Make
from reportgen.collect.plan import Entry
from reportgen.collect.supervisor import Supervisor
from reportgen.status import Status

BUILDERS = 2
"""Build processes at once; more would starve each other on the small machines this runs on."""
BUILD_SECONDS = 60.0
"""An assembler that takes longer for one program hangs."""

Results = dict[str, Made | Fault]


def build_all(
    entries: Sequence[Entry], arguments: Sequence[str], hello: Hello, built: Callable[[str], None]
) -> Results:
    """Build each point in a worker process; a point that kills its worker is a `Fault`.

    Args:
        entries: the points, in any order.
        arguments: command line of a build worker.
        hello: device and instruction table.
        built: called with the id of each point that is done, from any thread.

    Raises:
        RunRefused: the workers do not start.
    """
    results: Results = {}
    todo = iter(entries)
    turn = threading.Lock()
    stop = threading.Event()
    errors: list[Exception] = []

    def turns() -> Iterator[Entry]:
        while not stop.is_set():
            with turn:
                entry = next(todo, None)
            if entry is None:
                return
            yield entry

    def work(supervisor: Supervisor) -> None:
        try:
            for entry in turns():
                results[entry.point.id] = supervisor.make(Make(entry.probe, entry.point), BUILD_SECONDS)
                built(entry.point.id)
        except Exception as error:  # noqa: BLE001 - raised again in the calling thread
            errors.append(error)
            stop.set()

    supervisors = [Supervisor(arguments, hello) for _ in range(min(BUILDERS, len(entries)))]
    threads = [threading.Thread(target=work, args=(supervisor,), daemon=True) for supervisor in supervisors]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        interrupted = any(thread.is_alive() for thread in threads)
        stop.set()
        for supervisor in supervisors:
            if interrupted:
                supervisor.kill()
        for thread, supervisor in zip(threads, supervisors, strict=True):
            thread.join()
            supervisor.close()
    if errors:
        raise errors[0]
    return results


def refused(made: Made | Fault) -> tuple[Status, str] | None:
    """Status and reason of a point that cannot be measured; nothing if it can."""
    if isinstance(made, Fault):
        return Status(made.status), made.reason
    if made.build.status not in (Status.OK, Status.UNVERIFIED):
        return Status(made.build.status), made.build.reason
    program = made.build.program
    if program is not None and program.verdict == "rejected":
        return Status.INVALID, program.explanation
    return None


def seconds(results: Results, wall: float) -> dict[str, float]:
    """The time that building took, `wall`, shared out as the workers say that they spent theirs."""
    spent = {"build": 0.0, "verify": 0.0}
    for one in results.values():
        if isinstance(one, Made):
            for name, each in one.build.seconds.items():
                spent[name] = spent.get(name, 0.0) + each
    total = sum(spent.values())
    if total <= 0:
        return {"build": wall, "verify": 0.0}
    return {name: wall * each / total for name, each in spent.items()}


def identity(made: Made | Fault) -> str:
    """What a resumed run compares: the program's digest, or why there is none."""
    status = refused(made)
    if status is not None:
        return f"{status[0]}: {status[1]}"
    program = made.build.program if isinstance(made, Made) else None
    return program.sha256 if program is not None else "no machine code"


def unverified(made: Made) -> str:
    """Why the machine code was not inspected; empty when it was."""
    program = made.build.program
    if made.build.status == Status.UNVERIFIED:
        return made.build.reason or "the code was not inspected"
    if program is None:
        return "the machine code was not inspected" if made.build.code else ""
    return program.explanation if program.verdict == "unverified" else ""
