"""An ONNX file as a small message: the numbers of its weights stay on disk.

A model is a protocol-buffer message whose bulk is the payload of its tensors.  The file is mapped, the
message is walked field by field, and a payload of more than `KEPT` bytes is replaced by a note where it
lies: the tensor becomes one with external data, whose file is the model itself.  So memory does not grow
with the weights, and a file of several gigabytes is read as quickly as one without.

Encoding: https://protobuf.dev/programming-guides/encoding; field numbers: onnx.proto of ONNX.
"""

from __future__ import annotations

import mmap
from collections.abc import Iterator
from pathlib import Path

from reportgen.errors import UserError

SMALL = 4 << 20
"""Bytes up to which a file is read as it is."""

KEPT = 1 << 14
"""Bytes of a payload that stay: shapes, axes and scales are shorter, and are needed."""

ITSELF = ""
"""Location of external data that lie in the model file."""

# message -> field -> message of that field; None marks a payload.
MESSAGES: dict[str, dict[int, str | None]] = {
    "Model": {7: "Graph", 25: "Function"},
    "Graph": {1: "Node", 5: "Tensor", 15: "Sparse"},
    "Function": {7: "Node"},
    "Node": {5: "Attribute"},
    "Attribute": {5: "Tensor", 6: "Graph", 10: "Tensor", 11: "Graph", 22: "Sparse", 23: "Sparse"},
    "Sparse": {1: "Tensor", 2: "Tensor"},
    "Tensor": {4: None, 5: None, 6: None, 7: None, 9: None, 10: None, 11: None},
}

LENGTH_DELIMITED = 2
FIXED = {1: 8, 5: 4}

SIGNATURES = (
    (b"PK\x03\x04", "a zip archive, as PyTorch saves its checkpoints"),
    (b"\x80\x02", "a Python pickle"),
    (b"\x80\x04", "a Python pickle"),
    (b"GGUF", "a GGUF file"),
    (b"\x89HDF", "an HDF5 file, as Keras saves its models"),
    (b"version https://git-lfs", "a Git LFS pointer: the file itself was not fetched"),
)
"""First bytes of what is often taken for an ONNX file."""


def read_model_bytes(path: Path) -> bytes:
    """The message without its large payloads.

    Raises:
        UserError: the file cannot be read, or is no protocol-buffer message.
    """
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            start = file.read(32)
            _refuse(path, start)
            if size <= SMALL:
                return start + file.read()
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped, memoryview(mapped) as view:
                return bytes(b"".join(_stripped(view, 0, size, "Model")))
    except OSError as error:
        raise UserError(
            f"'{path}' cannot be read ({error.strerror}).", "Give the path of an ONNX file."
        ) from error
    except (ValueError, IndexError) as error:
        raise not_onnx(path, str(error)) from error


def not_onnx(path: Path, why: str = "") -> UserError:
    """What to say of a file that is something else."""
    said = f" ({why})" if why else ""
    return UserError(
        f"'{path}' is no ONNX file, or a damaged one{said}.",
        "Export the model, for example with torch.onnx.export(model, args, 'model.onnx').",
    )


def _refuse(path: Path, start: bytes) -> None:
    if not start:
        raise not_onnx(path, "it is empty")
    for signature, what in SIGNATURES:
        if start.startswith(signature):
            raise not_onnx(path, f"it is {what}")


def _varint(view: memoryview, at: int) -> tuple[int, int]:
    """(value, position behind it)."""
    value = shift = 0
    while True:
        byte = view[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError("a number has no end")


def _encoded(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def _stripped(view: memoryview, at: int, end: int, message: str) -> Iterator[bytes | memoryview]:
    """Pieces of the message from `at` to `end`, payloads left out; unchanged stretches in one piece.

    Messages nest as deeply as graphs in graphs do, which protocol buffers themselves bound.
    """
    inner = MESSAGES[message]
    unchanged = at
    payload: tuple[int, int] | None = None
    while at < end:
        begun = at
        key, at = _varint(view, at)
        field, wire = key >> 3, key & 7
        if wire == 0:
            _, at = _varint(view, at)
        elif wire in FIXED:
            at += FIXED[wire]
        elif wire != LENGTH_DELIMITED:
            raise ValueError(f"field {field} has wire type {wire}")
        else:
            length, at = _varint(view, at)
            if at + length > end:
                raise ValueError("it ends in the middle of a field")
            if length > KEPT and field in inner:
                yield bytes(view[unchanged:begun])
                name = inner[field]
                if name is None:
                    payload = (at, length)
                else:
                    pieces = b"".join(_stripped(view, at, at + length, name))
                    yield _encoded(key) + _encoded(len(pieces)) + pieces
                unchanged = at + length
            at += length
    if at > end:
        raise ValueError("it ends in the middle of a field")
    yield bytes(view[unchanged:end])
    if payload is not None:
        yield _where(*payload)


def _where(offset: int, length: int) -> bytes:
    """Fields of a tensor that say: external data, in this file, there."""
    entries = b""
    for key, value in (("location", ITSELF), ("offset", str(offset)), ("length", str(length))):
        entry = b"".join(
            bytes([number << 3 | LENGTH_DELIMITED]) + _encoded(len(text)) + text
            for number, text in ((1, key.encode()), (2, value.encode()))
        )
        entries += bytes([13 << 3 | LENGTH_DELIMITED]) + _encoded(len(entry)) + entry
    return entries + bytes([14 << 3, 1])
