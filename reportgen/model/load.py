"""The architecture model of something a user can name."""

from __future__ import annotations

from pathlib import Path

import msgspec

from reportgen.errors import BundleError
from reportgen.model.architecture import MODEL_SCHEMA, OLDEST_SCHEMA, Architecture
from reportgen.model.derive import derive_bundle
from reportgen.model.exports.json import MODEL, read_model
from reportgen.runs import aside, read, store


class _Version(msgspec.Struct):
    """Only the key that says how to read the rest."""

    schema: int


def load_architecture(path_or_device: str | Path, data: Path) -> Architecture:
    """The model from a `model.json`, a folder with one, a bundle, a device, a run or `latest`.

    A bundle is derived afresh; a `model.json` is read as it is.

    Raises:
        BundleError: nothing answers to the name, or what does cannot be read, or is of a schema that
            is not read here; or it is a survey or a validation.
    """
    path = Path(path_or_device)
    try:
        for file in (path, path / MODEL):
            if file.suffix == ".json" and file.name != "run.json" and file.is_file():
                return _read(file)
    except OSError as error:  # a folder that is not ours, a name longer than the system takes
        raise BundleError(
            f"'{path}' cannot be read ({error.strerror}).", "Check its name and its permissions."
        ) from None
    bundle = read.load(store.resolve(data, str(path_or_device)))
    aside.refuse(bundle.run, "a model")
    return derive_bundle(bundle).architecture


def _read(file: Path) -> Architecture:
    try:
        data = file.read_bytes()
        version = msgspec.json.decode(data, type=_Version).schema
        if version > MODEL_SCHEMA:
            raise BundleError(
                f"{file} has model schema {version}; this reportgen reads up to {MODEL_SCHEMA}.",
                "Install a newer reportgen, or derive the model again from its run.",
            )
        if version < OLDEST_SCHEMA:
            raise BundleError(
                f"{file} has model schema {version}; the first one is {OLDEST_SCHEMA}.",
                "Derive the model again from its run: reportgen derive RUN --out DIR.",
            )
        return read_model(data)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise BundleError(
            f"{file}: not an architecture model ({error}).",
            "'reportgen derive RUN --out DIR' writes one.",
        ) from None
    except OSError as error:
        raise BundleError(f"{file} cannot be read ({error.strerror}).", "Check the file.") from None
