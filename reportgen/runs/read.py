"""Open a bundle.  The manifest is read at once, samples and programs when they are asked for."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reportgen.errors import BundleError
from reportgen.runs import manifest, programs, samples
from reportgen.runs.schema import MANIFEST, PROGRAMS, SAMPLE_COLUMNS, SAMPLES, Program, Run

if TYPE_CHECKING:
    import pandas
    import pyarrow


@dataclass(frozen=True)
class Bundle:
    """A sealed run on disk."""

    path: Path
    run: Run

    @cached_property
    def table(self) -> pyarrow.Table:
        """Samples as an Arrow table, which needs no pandas.

        Raises:
            BundleError: the file is missing, truncated or edited.
        """
        try:
            return samples.from_parquet(self.contents(SAMPLES))
        except ValueError as error:
            raise manifest.damaged(self.path, f"{SAMPLES}: {error}") from None

    @cached_property
    def samples(self) -> pandas.DataFrame:
        """Samples as a frame, one row a sample, columns `SAMPLE_COLUMNS`; strings are categories.

        Raises:
            BundleError: the file is missing, truncated or edited.
        """
        frame: pandas.DataFrame = self.table.select(list(SAMPLE_COLUMNS)).to_pandas()
        return frame

    @cached_property
    def programs(self) -> dict[str, Program]:
        """Programs by the sha256 of their machine code.

        Raises:
            BundleError: the file is missing, truncated or edited.
        """
        try:
            return programs.unpack(self.contents(PROGRAMS))
        except ValueError as error:
            raise manifest.damaged(self.path, f"{PROGRAMS}: {error}") from None

    def columns(self) -> dict[str, list[Any]]:
        """Samples as lists, ready for `write.seal`."""
        table = self.table
        return {name: table.column(name).to_pylist() for name in SAMPLE_COLUMNS}

    def contents(self, name: str) -> bytes:
        """Bytes of a file of the bundle, checked against the digest in the manifest.

        Raises:
            BundleError: the file is missing, or is not the one that was sealed.
        """
        try:
            data = (self.path / name).read_bytes()
        except OSError as error:
            raise manifest.damaged(self.path, f"{name} cannot be read ({error.strerror})") from None
        if hashlib.sha256(data).hexdigest() != self.run.files.get(name):
            raise manifest.damaged(self.path, f"{name} is not the file that was sealed")
        return data


def load(path: Path) -> Bundle:
    """The bundle in the folder `path`.

    Raises:
        BundleError: no such folder, no manifest in it, a damaged one, or one of a newer schema.
    """
    try:
        data = (path / MANIFEST).read_bytes()
    except FileNotFoundError:
        there = "has no run.json" if path.is_dir() else "is not a folder"
        raise BundleError(
            f"'{path}' {there}, so it is not a run bundle.",
            "'reportgen runs list' shows the runs that are here.",
        ) from None
    except OSError as error:
        raise manifest.damaged(path, f"{MANIFEST} cannot be read ({error.strerror})") from None
    return Bundle(path, manifest.decode(data, path))
