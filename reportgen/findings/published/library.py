"""`data/published/`: three tables, one row a figure, a source, an architecture.

The columns are the fields of the records here, in their order; an empty cell is "not given".  A wheel
carries the folder as `reportgen/_published`.
"""

from __future__ import annotations

import csv
import math
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

import msgspec

from reportgen.errors import UserError

FIGURES, SOURCES, ARCHITECTURES = "figures.csv", "sources.csv", "architectures.csv"


class Tier(StrEnum):
    """How far a figure may go."""

    COUNTS = "A"
    """Its conditions are known well enough to support or to contradict a finding."""
    SHOWN = "B"
    """It is shown beside findings and decides nothing."""


class Origin(StrEnum):
    """What kind of statement a figure is."""

    MEASURED = "measured"
    REPORTED = "reported"
    """A driver's answer."""
    NOMINAL = "nominal"
    """A data sheet, or a copy of one: of a rate, what cannot be exceeded."""
    MODELLED = "modelled"
    """A table that a compiler or a simulator schedules by."""


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A publication."""

    source: str
    """Key."""
    citation: str
    """Authors, title, place."""
    year: int | None = None

    @property
    def short(self) -> str:
        """First author, or the name of the data, and year."""
        head = self.citation.partition(":")[0].split(",")[0]
        return f"{head}, {self.year}" if self.year else head


class Core(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An architecture: what devices have in common whose instructions take the same time."""

    architecture: str
    """Key: a CUDA target without suffix, or the name of a CPU core."""
    title: str
    isa: str
    cpu_names: str = ""
    """What LLVM calls CPUs of it, separated by spaces; empty for a GPU, which is known by its ISA."""


class Figure(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number that somebody published."""

    device: str
    """As the source names it."""
    architecture: str
    """Key of a `Core`."""
    quantity: str
    """In words."""
    metric: str
    """Metric id of the same quantity here; empty where there is none.  A nominal rate of a memory level
    has the stem, `bandwidth.dram`, since it bounds every kernel."""
    value: float
    """In base units; of a range its middle."""
    low: float | None
    high: float | None
    """Ends of the range where the source gives one."""
    unit: str
    printed: str
    """Number and unit as printed."""
    kind: Origin
    tier: Tier
    conditions: str
    """How it came about, and where in the source it stands."""
    source: str
    """Key of a `Source`."""
    address: str
    """Where it can be looked up; empty where no address is known."""

    @property
    def ends(self) -> tuple[float, float]:
        """The range, or the value twice."""
        low = self.value if self.low is None else self.low
        return low, self.value if self.high is None else self.high


@dataclass(frozen=True)
class Library:
    """All published figures, with what they refer to."""

    figures: tuple[Figure, ...]
    sources: dict[str, Source]
    cores: dict[str, Core]


def root(package: Path | None = None) -> Path:
    """The folder: `_published` inside the package (a wheel), or `data/published` beside it (a checkout).

    Args:
        package: folder of the package; this one's where not given.

    Raises:
        UserError: neither is there, as when the package folder was copied by hand.
    """
    package = package or Path(__file__).resolve().parents[2]
    shipped, checkout = package / "_published", package.parent / "data" / "published"
    for folder in (shipped, checkout):
        if (folder / FIGURES).is_file():
            return folder
    raise UserError(
        f"The published figures are missing: neither {shipped} nor {checkout} holds '{FIGURES}'.",
        "Install reportgen from its wheel or with 'pip install -e .' in a checkout.",
    )


@lru_cache(maxsize=1)
def library() -> Library:
    """The figures that come with this installation, read once."""
    return load(root())


def load(folder: Path) -> Library:
    """The tables in `folder`.

    Raises:
        UserError: a table is missing or broken, or a figure refers to what is not there; names file and line.
    """
    figures = _rows(folder / FIGURES, Figure)
    sources = {row.source: row for _, row in _rows(folder / SOURCES, Source)}
    cores = {row.architecture: row for _, row in _rows(folder / ARCHITECTURES, Core)}
    for line, figure in figures:
        where = f"{FIGURES}, line {line}"
        if figure.source not in sources:
            raise _broken(where, f"source '{figure.source}' is not in {SOURCES}")
        if figure.architecture not in cores:
            raise _broken(where, f"architecture '{figure.architecture}' is not in {ARCHITECTURES}")
        low, high = figure.ends
        if not (math.isfinite(figure.value) and 0 < low <= figure.value <= high < math.inf):
            raise _broken(
                where, f"'{figure.printed}' is not a positive number, or lies outside its own range"
            )
    return Library(tuple(figure for _, figure in figures), sources, cores)


Record = TypeVar("Record", bound=msgspec.Struct)


def _rows(path: Path, record: type[Record]) -> list[tuple[int, Record]]:
    """Line number and record of every row."""
    columns = list(record.__struct_fields__)
    try:
        with path.open(encoding="utf-8", newline="") as file:
            table = csv.reader(file)
            if next(table, []) != columns:
                raise _broken(f"{path.name}, line 1", f"its columns must be {', '.join(columns)}")
            return [
                (table.line_num, _record(row, record, f"{path.name}, line {table.line_num}")) for row in table
            ]
    except OSError as error:
        raise _broken(path.name, f"it cannot be read ({error.strerror})") from error


def _record(row: list[str], record: type[Record], where: str) -> Record:
    if len(row) != len(record.__struct_fields__):
        raise _broken(where, f"it has {len(row)} cells")
    given = dict(zip(record.__struct_fields__, row, strict=True))
    numbers = {"value", "low", "high", "year"}
    try:
        return msgspec.convert(
            {key: (cell or None) if key in numbers else cell for key, cell in given.items()},
            record,
            strict=False,
        )
    except msgspec.ValidationError as error:
        raise _broken(where, str(error)) from None


def _broken(where: str, why: str) -> UserError:
    return UserError(f"{where}: {why}.", "Correct the table, or install reportgen again.")
