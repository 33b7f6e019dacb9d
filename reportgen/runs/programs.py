"""`programs.jsonl.gz`: one `Program` a line, like beside like, the same bytes for the same programs.

Sorted by source: the packer looks 32 KiB back, and finds there what a program has in common with its
neighbour.  In the order of digests, which says nothing, a file is half as large again.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable

import msgspec

from reportgen.runs.schema import Program


def pack(programs: Iterable[Program]) -> bytes:
    """The file's bytes; programs of equal digest are kept once."""
    unique = {program.sha256: program for program in programs}
    ordered = sorted(unique.values(), key=lambda program: (program.source, program.sha256))
    lines = b"".join(msgspec.json.encode(program) + b"\n" for program in ordered)
    return gzip.compress(lines, compresslevel=9, mtime=0)


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
