"""`run.json` <-> `Run`, with the schema version looked at before anything else."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from reportgen import __version__
from reportgen.errors import BundleError
from reportgen.runs.schema import MANIFEST, SCHEMA_VERSION, Run


class Version(msgspec.Struct, frozen=True):
    """What every manifest has, of whatever schema."""

    schema: int


class Head(msgspec.Struct, frozen=True):
    """The few fields that a list of runs needs."""

    class Name(msgspec.Struct, frozen=True):
        """Of the device only its id, its name and its instruction set."""

        id: str = ""
        name: str = ""
        isa: str = ""

    run: str = ""
    created: str = ""
    device: Name = Name()
    plan: dict[str, Any] = {}


def encode(run: Run) -> bytes:
    """The manifest as it lies on disk: indented JSON, lists with one record a line, one final newline.

    In such a line a key is left out that holds what its absence means.
    """
    parts = []
    for name in run.__struct_fields__:
        value = getattr(run, name)
        if isinstance(value, tuple) and value:
            body = b"[\n  " + b",\n  ".join(map(_line, value)) + b"\n ]"
        else:
            body = msgspec.json.format(msgspec.json.encode(value), indent=1).replace(b"\n", b"\n ")
        parts.append(b' "%s": %s' % (name.encode(), body))
    return b"{\n" + b",\n".join(parts) + b"\n}\n"


def _line(record: msgspec.Struct) -> bytes:
    absent = _absent(type(record))
    values = ((name, getattr(record, name)) for name in record.__struct_fields__)
    return msgspec.json.encode(
        {name: value for name, value in values if name not in absent or value != absent[name]}
    )


@cache
def _absent(kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Field -> what it is where its key is absent; fields whose key is never absent are not in it."""
    return {
        field.name: field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        for field in msgspec.structs.fields(kind)
        if not field.required
    }


def head(data: bytes, path: Path) -> Head:
    """Run, device and date.

    Raises:
        BundleError: not JSON, not a manifest, or of a schema that this reportgen does not know.
    """
    try:
        version = msgspec.json.decode(data, type=Version).schema
        if version > SCHEMA_VERSION:
            raise BundleError(
                f"{path}: {MANIFEST} is of schema {version}, this reportgen ({__version__}) reads up to "
                f"{SCHEMA_VERSION}.",
                "Upgrade reportgen (pip install --upgrade reportgen) and try again.",
            )
        return msgspec.json.decode(data, type=Head)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise damaged(path, f"{MANIFEST} is not a manifest ({error})") from None


def decode(data: bytes, path: Path) -> Run:
    """The manifest of the bundle at `path`.

    Raises:
        BundleError: as for `head`, or a key is missing, unknown or of a wrong kind.
    """
    head(data, path)
    try:
        return msgspec.json.decode(data, type=Run)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise damaged(path, f"{MANIFEST} breaks its schema ({error})") from None


def digest(run: Run) -> str:
    """sha256 of the manifest but for `files`.

    It is stored inside samples.parquet, whose own digest stands in `files`: so neither of the two
    can be edited without the other one saying so.
    """
    bare = msgspec.structs.replace(run, files={})
    # Through JSON once, so that a record just made and the same record just read agree (3 and 3.0).
    again = msgspec.json.decode(msgspec.json.encode(bare), type=Run)
    return hashlib.sha256(msgspec.json.encode(again)).hexdigest()


def damaged(path: Path, what: str) -> BundleError:
    """The error for a bundle that is not what was sealed."""
    return BundleError(
        f"{path}: {what}.",
        "The bundle was truncated or edited; fetch it again from where it was published, or collect anew.",
    )
