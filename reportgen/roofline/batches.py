"""The path of a decoding language model along the intensity axis, as more sequences share its weights.

Each weight is read once for all sequences, so the intensity grows as the batch, from about 1 FLOP/byte in a
16-bit type.  The keys and values of each sequence are its own: work and bytes of a further sequence have an
intensity of their own, and the path ends there however many there are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from reportgen.errors import UserError
from reportgen.roofline import layers
from reportgen.roofline.points import Point, type_of
from reportgen.workload.count import count_graph
from reportgen.workload.templates import GPT2, LLAMA2_7B, decode

MODELS = {model.name: model for model in (LLAMA2_7B, GPT2)}
BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
PAST = 1024
"""Tokens in the cache of each sequence, unless told otherwise."""
TYPES = {
    "fp64": "float64",
    "fp32": "float32",
    "tf32": "float32",
    "fp16": "float16",
    "bf16": "bfloat16",
}
"""Peak -> type of weights, activations and cache."""


def path(
    model: str, level: str, precision: str, batches: Iterable[int] = BATCHES, past: int = PAST
) -> tuple[Point, ...]:
    """One point a batch: a token for each of its sequences, taken from `level`.

    Raises:
        UserError: no floating-point type goes with the precision.
    """
    if type_of(precision) not in TYPES:
        raise UserError(
            f"a model is not decoded in {precision.upper()} here.", f"One of {', '.join(TYPES)}: --precision."
        )
    return tuple(_point(model, level, precision, batch, past) for batch in sorted(set(batches)))


def _point(model: str, level: str, precision: str, batch: int, past: int) -> Point:
    counted = count_graph(decode(MODELS[model], batch, past, TYPES[type_of(precision)]))
    title = f"{MODELS[model].title}, decoding"
    point = layers.whole(counted, f"{title}, batch {batch}", level, precision)
    return msgspec.structs.replace(point, group=title, size=str(batch))


def limit(points: Sequence[Point]) -> float | None:
    """Intensity that a path tends to: that of one more sequence; None for fewer than two batches."""
    if len(points) < 2:
        return None
    last, most = points[-2:]
    bytes_more = most.moved[most.home].least - last.moved[last.home].least
    return (most.work - last.work) / bytes_more if bytes_more > 0 else None
