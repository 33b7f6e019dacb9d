"""From a model file on the command line to points that were counted and not timed."""

from __future__ import annotations

from pathlib import Path

from reportgen.cli.count import check_there
from reportgen.errors import UserError
from reportgen.roofline.points import Point

SUFFIX = ".onnx"


def is_model(word: str) -> bool:
    """Whether a word of the command line names a model and not a run."""
    return word.lower().endswith(SUFFIX)


def counted(
    path: Path, dims: dict[str, int], level: str, precision: str, depth: int
) -> tuple[list[Point], list[tuple[str, str]]]:
    """The points of a model, and how they were counted.

    Raises:
        UserError: no such file, no model, an open dimension, or nothing in it that computes.
    """
    from reportgen.roofline import layers
    from reportgen.workload.count import count
    from reportgen.workload.work import CONVENTION_FLOP, CONVENTION_MAC

    check_there(path)
    found = count(path, dims)
    points = layers.points(found, path.stem, level, precision, depth)
    if not points:
        raise UserError(
            f"'{path}' holds no floating-point work, so it has no place.",
            "Look at it with 'reportgen count'.",
        )
    told = [
        ("model", path.name),
        ("dimensions", ", ".join(f"{name} = {size}" for name, size in dims.items()) or "as in the file"),
        ("precision", points[0].precision.upper()),
        ("work", f"{CONVENTION_FLOP}. {CONVENTION_MAC}"),
        (
            "bytes",
            "of the whole: each input, weight and output once; of a module: its operations on their own",
        ),
        (
            "counted",
            f"{found.counted} of {len(found.rows)} operations" + ("" if found.exact else "; a lower bound"),
        ),
    ]
    return list(points), told
