"""The survey of a model's device in the data folder, and the model with what it knows of some code."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec
import pyarrow

from reportgen.analysis.survey_rows import FormRow, rows
from reportgen.errors import BundleError
from reportgen.model.architecture import Architecture
from reportgen.model.cost import surveyed
from reportgen.model.cost.instruction import Body
from reportgen.runs import read, store
from reportgen.runs.read import Bundle
from reportgen.runs.schema import SURVEY, Program, Run


def newest(data: Path, device: str) -> Bundle | None:
    """The newest survey of a device that can be read; None where there is none.

    Raises:
        BundleError: the data folder may not be read.
    """
    for ref in store.list_runs(data):
        if ref.kind == SURVEY and ref.device == device and not ref.error:
            return read.load(ref.path)
    return None


def named(data: Path, device: str, run: str) -> Bundle:
    """The survey that a validation names.

    Raises:
        BundleError: it is not in the data folder, or is no survey.
    """
    found = read.load(store.resolve(data, f"{device}/{run}"))
    if not found.run.is_survey:
        raise BundleError(f"{run} is no survey.", "'reportgen runs list' shows which runs are.")
    return found


def completed(architecture: Architecture, bodies: Iterable[Body], survey: Bundle | None) -> Architecture:
    """The model with those forms of a survey that may stand for instructions of some code.

    Args:
        architecture: of a run of the suite.
        bodies: what will be estimated.
        survey: of the same device; None where there is none.

    Raises:
        BundleError: the survey is damaged.
    """
    if survey is None:
        return architecture
    asked = surveyed.keys(one for body in bodies for one in body.instructions)
    return surveyed.with_survey(architecture, some_rows(survey, asked))


def some_rows(survey: Bundle, keys: set[str]) -> tuple[FormRow, ...]:
    """Rows of some forms; deriving all of them takes seconds.

    Raises:
        BundleError: the survey is damaged.
    """
    probes = tuple(one for one in survey.run.probes if one.title in keys)
    names = {one.id for one in probes}
    points = tuple(one for one in survey.run.points if one.probe in names)
    return rows(_Part(msgspec.structs.replace(survey.run, probes=probes, points=points), survey))


class _Part:
    """Some probes of a run with all of its samples: calibrations of all tell how sure each number is."""

    def __init__(self, run: Run, whole: Bundle) -> None:
        self.run = run
        self._whole = whole

    @property
    def table(self) -> pyarrow.Table:
        return self._whole.table

    @property
    def programs(self) -> dict[str, Program]:
        return self._whole.programs
