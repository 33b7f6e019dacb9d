"""Surveys in the data folder: which one a word means, and what it comes to beside the suite's newest run."""

from __future__ import annotations

from pathlib import Path

import msgspec

from reportgen.analysis.derive import derive
from reportgen.analysis.survey_rows import rows
from reportgen.errors import BundleError
from reportgen.runs import read, store
from reportgen.runs.read import Bundle
from reportgen.runs.schema import SURVEY
from reportgen.suite.load import load_suite
from reportgen.survey.agreement import agreement
from reportgen.survey.modelled import beside
from reportgen.survey.record import SURVEY_SCHEMA, Reason, Survey
from reportgen.survey.said import Said, recorded


def find(data: Path, name: str) -> Bundle:
    """The survey that `name` means: a path, a run, `latest`, or a device's newest.

    Raises:
        BundleError: there is none, or it cannot be read.
    """
    return read.load(store.resolve_kind(data, name, SURVEY, "'reportgen survey' makes one."))


def derived(bundle: Bundle, data: Path, asked: Said | None = None) -> Survey:
    """What a survey comes to, beside the newest run of the suite on its device where `data` has one.

    Args:
        bundle: of kind `survey`.
        data: folder of the runs.
        asked: what a scheduling model says now; else what is sealed with the survey.

    Raises:
        BundleError: it is no survey, or a run is damaged.
    """
    run = bundle.run
    if not run.is_survey:
        raise BundleError(f"{run.run} is no survey.", "'reportgen runs list' shows which runs are.")
    found = rows(bundle)
    suite = newest(data, run.device.id)
    compared = None
    if suite is not None:
        other = read.load(suite)
        compared = agreement(found, other.run, derive(other), load_suite().tables[run.device.isa])
    modelled = []
    for said in recorded(run.plan) if asked is None else (asked,):
        found, one = beside(found, said)
        modelled.append(one)
    return Survey(
        schema=SURVEY_SCHEMA,
        run=run.run,
        created=run.created,
        device=run.device.id,
        name=run.title,
        forms=int(run.plan.get("forms", len(found))),
        rows=found,
        left_out=tuple(msgspec.convert(run.plan.get("left_out", []), list[Reason])),
        agreement=compared,
        modelled=tuple(modelled),
    )


def newest(data: Path, device: str) -> Path | None:
    """The device's newest run of the suite; None where there is none."""
    for ref in store.list_runs(data):
        if ref.device == device and not ref.kind and not ref.error:
            return ref.path
    return None
