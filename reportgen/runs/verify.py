"""Is a bundle what was sealed?  Names the file that is not."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from reportgen.errors import BundleError
from reportgen.runs import manifest, programs, samples
from reportgen.runs.read import Bundle, load
from reportgen.runs.schema import ACCEPTED, MANIFEST, PROGRAMS, SAMPLES

if TYPE_CHECKING:
    import pyarrow


def verify(path: Path) -> list[str]:
    """What is wrong with the bundle at `path`, one line a fault, each beginning with the file's name.

    An empty list says: every file has the digest that the manifest states, the manifest has the
    digest that the samples state, and points, samples and programs name each other correctly.
    """
    try:
        bundle = load(path)
    except BundleError as error:
        return [f"{MANIFEST}: {str(error).removeprefix(f'{path}: {MANIFEST} ')}"]
    faults = []
    data = {}
    for name in (SAMPLES, PROGRAMS):
        expected = bundle.run.files.get(name)
        try:
            data[name] = (path / name).read_bytes()
        except OSError as error:
            faults.append(f"{name}: cannot be read ({error.strerror})")
            continue
        if expected is None:
            faults.append(f"{MANIFEST}: states no digest of {name}")
        elif hashlib.sha256(data[name]).hexdigest() != expected:
            faults.append(
                f"{name}: sha256 is not the one in {MANIFEST} (truncated, edited, or of another run)"
            )
    if faults:
        return faults
    return [*_manifest(bundle, data[SAMPLES]), *_programs(bundle, data[PROGRAMS])]


def _manifest(bundle: Bundle, parquet: bytes) -> list[str]:
    """The manifest against the samples: its digest, and what it says of every point."""
    import pyarrow.compute as pc

    try:
        table = samples.from_parquet(parquet)
    except ValueError as error:
        return [f"{SAMPLES}: {error}"]
    faults = []
    stated = (table.schema.metadata or {}).get(samples.MANIFEST_DIGEST, b"").decode()
    if stated and stated != manifest.digest(bundle.run):
        faults.append(f"{MANIFEST}: is not the manifest these samples were sealed with (edited)")
    # One row a thread: a sample of several threads counts once.
    leading = table.filter(pc.equal(table.column("thread"), 0))
    total = _rows_by_point(leading)
    accepted = _rows_by_point(leading.filter(pc.equal(leading.column("gate").cast("string"), ACCEPTED)))
    known = {point.id for point in bundle.run.points}
    faults += [f"{SAMPLES}: samples of an unknown point: {name}" for name in total if name not in known]
    for point in bundle.run.points:
        if (point.total, point.accepted) != (total[point.id], accepted[point.id]):
            faults.append(
                f"{MANIFEST}: {point.id} states {point.accepted} of {point.total} samples accepted, "
                f"{SAMPLES} holds {accepted[point.id]} of {total[point.id]}"
            )
    return faults


def _rows_by_point(table: pyarrow.Table) -> Counter[str]:
    """Rows of each point; counted by Arrow, because a run has some hundred thousand."""
    import pyarrow.compute as pc

    counted = pc.value_counts(table.column("point")).to_pylist()
    return Counter({one["values"]: one["counts"] for one in counted})


def _programs(bundle: Bundle, packed: bytes) -> list[str]:
    try:
        found = programs.unpack(packed)
    except ValueError as error:
        return [f"{PROGRAMS}: {error}"]
    wanted = {point.program: point.id for point in bundle.run.points if point.program}
    return [f"{PROGRAMS}: lacks the program of {wanted[key]}" for key in sorted(wanted.keys() - found.keys())]
