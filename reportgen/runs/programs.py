"""`programs.jsonl.gz`: one `Program` a line, sorted by digest, the same bytes for the same programs."""

from __future__ import annotations

import gzip
from collections.abc import Iterable

import msgspec

from reportgen.runs.schema import Program


def pack(programs: Iterable[Program]) -> bytes:
    """The file's bytes; programs of equal digest are kept once."""
    unique = {program.sha256: program for program in programs}
    lines = b"".join(msgspec.json.encode(unique[key]) + b"\n" for key in sorted(unique))
    return gzip.compress(lines, compresslevel=6, mtime=0)


def unpack(data: bytes) -> dict[str, Program]:
    """Programs by digest.

    Raises:
        ValueError: truncated, not gzip, or a line is not a program.
    """
    try:
        lines = gzip.decompress(data).splitlines()
        found = [msgspec.json.decode(line, type=Program) for line in lines]
    except (OSError, EOFError, msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"not a list of programs ({error})") from None
    return {program.sha256: program for program in found}
