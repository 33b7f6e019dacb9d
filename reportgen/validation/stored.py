"""Validations in the data folder: which one a word means, and the run whose model each of them checks."""

from __future__ import annotations

from pathlib import Path

from reportgen.errors import BundleError
from reportgen.model.cost import surveys
from reportgen.model.load import load_architecture
from reportgen.runs import read, store
from reportgen.runs.read import Bundle
from reportgen.runs.schema import VALIDATION
from reportgen.validation.derive import derive
from reportgen.validation.record import Validation


def find(data: Path, name: str) -> Bundle:
    """The validation that `name` means: a path, a run, `latest`, or a device's newest.

    Raises:
        BundleError: there is none, or it cannot be read.
    """
    return read.load(store.resolve_kind(data, name, VALIDATION, "'reportgen validate' makes one."))


def derived(bundle: Bundle, data: Path, model: str = "") -> Validation:
    """What a validation comes to, by the model that it names, or by another one of the same device.

    Raises:
        BundleError: it is no validation, or the run of its model or the survey that it names is not
            in `data`.
    """
    wanted = model or f"{bundle.run.device.id}/{bundle.run.plan.get('model', '')}"
    if not bundle.run.is_validation:
        raise BundleError(
            f"{bundle.run.run} is no validation.", "'reportgen runs list' shows which runs are."
        )
    return derive(bundle, load_architecture(wanted, data), survey_of(bundle, data))


def survey_of(bundle: Bundle, data: Path) -> Bundle | None:
    """The survey that a validation names; None where it names none, as all did once.

    Raises:
        BundleError: it is not in `data`.
    """
    name = str(bundle.run.plan.get("survey", ""))
    return surveys.named(data, bundle.run.device.id, name) if name else None
