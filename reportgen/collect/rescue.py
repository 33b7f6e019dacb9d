"""A bundle of what an interrupted run measured, where its device is not: nothing is built, nothing measured.

Beside the journal of a run lies `built.json.gz`: its device, and of every point the program or why there is
none.  With both a run that was killed on a machine that is gone is sealed anywhere.
"""

from __future__ import annotations

import gzip
import shutil
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from reportgen.backends import registry
from reportgen.backends.base import Backend
from reportgen.collect import builds, filling, identity, interruption, journal, lock, plan, sealing
from reportgen.collect.interruption import Interruption, resume_command
from reportgen.collect.messages import Fault, Made
from reportgen.collect.progress import Progress
from reportgen.errors import RunRefused
from reportgen.runs import disk, read, write
from reportgen.runs.schema import Device, Run
from reportgen.suite.load import Suite, load_suite

BUILT = "built.json.gz"
UNREACHED = "not reached: the run was sealed before it was finished"


class Built(msgspec.Struct, frozen=True):
    """What sealing needs beside the journal."""

    device: Device
    made: dict[str, Made | Fault]
    """By point; without machine code."""


def keep(folder: Path, device: Device, made: builds.Results) -> None:
    """Put `built.json.gz` beside a journal; a disk that refuses it refuses the journal too, which tells."""
    bare = {
        name: msgspec.structs.replace(one, build=msgspec.structs.replace(one.build, code=b""))
        if isinstance(one, Made)
        else one
        for name, one in made.items()
    }
    data = msgspec.json.encode(Built(device, bare))
    with suppress(OSError):
        disk.write_file(folder / BUILT, gzip.compress(data, compresslevel=1, mtime=0))


def carry_on(folder: Path, following: Path, run: str) -> None:
    """Begin run `run` in `following` with all that the journal in `folder` holds.

    Raises:
        OSError: it cannot be written.
    """
    journal.carry_on(folder / journal.JOURNAL, following / journal.JOURNAL, run)
    if (folder / BUILT).exists():
        disk.write_file(following / BUILT, (folder / BUILT).read_bytes())


def seal(
    data: Path,
    resume: str,
    verb: str,
    progress: Progress,
    backend: Backend | None = None,
    suite: Suite | None = None,
) -> tuple[Path, Run, str]:
    """Seal an interrupted run: bundle, manifest, and the command that goes on where the device is.

    Args:
        data: folder of the runs.
        resume: the run, or `latest`.
        verb: command that began it.
        progress: who shows it.
        backend: instead of the one the run's selector names.
        suite: instead of the one that came with the package.

    Raises:
        RunRefused: there is no such run, it has no sample, its suite is another, or the folder is full.
    """
    before = interruption.find(data, resume, verb)
    header, entries = before.header, before.entries
    if not any(entry.batch.gates for entry in entries):
        raise RunRefused(f"run {header.run} has no sample.", "There is nothing to seal; start a new run.")
    built = _read(before)
    with lock.hold(data / built.device.id, built.device.id):
        asked = plan.make(
            suite or load_suite(),
            built.device,
            header.probes,
            header.quick,
            header.seed,
            header.passes or None,
        )
        journal.same(header, msgspec.structs.replace(header, suite=asked.suite))
        progress.stage("sealing", 1)
        run, samples, programs = sealing.assemble(
            asked, built.made, header, entries, built.device, 0.0, entries[-1].elapsed, UNREACHED
        )
        made = {name: one for name, one in built.made.items() if isinstance(one, Made)}
        run = filling.filled(backend or registry.get(header.selector), run, made)
        following = identity.name(datetime.now(UTC))
        directory = before.folder.with_name(header.run)
        try:
            write.seal(directory, run, samples, programs)
            carry_on(before.folder, write.partial(directory.with_name(following)), following)
        except OSError as error:
            raise disk.refusal(error, data) from error
        shutil.rmtree(before.folder, ignore_errors=True)
    return directory, read.load(directory).run, resume_command(following, data, verb)


def _read(before: Interruption) -> Built:
    path = before.folder / BUILT
    remedy = f"Go on with it where its device is: reportgen collect --resume {before.header.run}"
    try:
        return msgspec.json.decode(gzip.decompress(path.read_bytes()), type=Built)
    except OSError as error:
        raise RunRefused(f"'{path}' cannot be read ({error.strerror or error}).", remedy) from error
    except (EOFError, ValueError) as error:
        raise RunRefused(f"'{path}' is damaged ({error}).", remedy) from error
