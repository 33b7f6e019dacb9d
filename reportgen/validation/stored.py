"""Validations in the data folder: which one a word means, and the run whose model each of them checks."""

from __future__ import annotations

from pathlib import Path

from reportgen.errors import BundleError
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
    known = [ref for ref in store.list_runs(data) if ref.kind == VALIDATION and not ref.error]
    fitting = [ref for ref in known if name in (store.LATEST, ref.device)]
    if fitting:
        return read.load(fitting[0].path)
    if name == store.LATEST:
        raise BundleError(f"no validation in '{data}'.", "'reportgen validate' makes one.")
    return read.load(store.resolve(data, name))


def derived(bundle: Bundle, data: Path, model: str = "") -> Validation:
    """What a validation comes to, by the model that it names, or by another one of the same device.

    Raises:
        BundleError: it is no validation, or the run of its model is not in `data`.
    """
    wanted = model or f"{bundle.run.device.id}/{bundle.run.plan.get('model', '')}"
    if not bundle.run.is_validation:
        raise BundleError(
            f"{bundle.run.run} is no validation.", "'reportgen runs list' shows which runs are."
        )
    return derive(bundle, load_architecture(wanted, data))
