"""Seal a run: a bundle appears whole under its name, or not at all."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from reportgen.errors import RunRefused
from reportgen.runs import disk, manifest, programs, samples
from reportgen.runs.schema import MANIFEST, PROGRAMS, SAMPLES, Program, Run

PARTIAL = ".partial"
"""Suffix of the folder of a run that is not sealed; the journal of a collecting run lies in it."""
STAGE = "sealed"
"""Inside it: the bundle that becomes `<run>/` by one rename."""


def partial(directory: Path) -> Path:
    """The folder beside `directory` in which its run is prepared."""
    return directory.with_name(directory.name + PARTIAL)


def seal(
    directory: Path, run: Run, columns: dict[str, list[Any]], recorded: Iterable[Program], remedy: str = ""
) -> Path:
    """Write the bundle of `run` to `directory` and return it; fills `run.files`.

    Everything is written and synced in `<directory>.partial/sealed`, then renamed.  What else lies in
    `<directory>.partial` (a journal) is left for its owner to remove.

    Args:
        directory: `data/<device>/<run>`, not there yet.
        run: the manifest.
        columns: samples, the columns of `SAMPLE_COLUMNS`.
        recorded: every program the points name.
        remedy: what to tell the user when the disk refuses.

    Raises:
        RunRefused: the run is sealed already, or the folder is full or cannot be written.
        ValueError: columns that are not those of the schema.
    """
    if directory.exists():
        raise RunRefused(f"'{directory}' exists already; a sealed run is never changed.", "Start a new run.")
    parquet = samples.to_parquet(columns, manifest.digest(run))
    contents = {SAMPLES: parquet, PROGRAMS: programs.pack(recorded)}
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}
    # The manifest goes last: a folder that has one has everything.
    contents[MANIFEST] = manifest.encode(msgspec.structs.replace(run, files=digests))
    workshop = partial(directory)
    stage = workshop / STAGE
    try:
        shutil.rmtree(stage, ignore_errors=True)
        stage.mkdir(parents=True)
        for name, data in contents.items():
            disk.write_file(stage / name, data)
        disk.sync_folder(stage)
        stage.rename(directory)
        disk.sync_folder(directory.parent)
    except OSError as error:
        shutil.rmtree(stage, ignore_errors=True)
        raise disk.refusal(error, directory.parent, remedy) from error
    finally:
        if workshop.is_dir() and not any(workshop.iterdir()):
            workshop.rmdir()
    return directory
