"""Marks in the order of launches, for as long as they are needed: thousands of visits leave none behind."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from reportgen.backends.cuda.binding import Binding, Handle


@contextmanager
def marks(binding: Binding, count: int) -> Iterator[list[Handle]]:
    """So many marks, given back at the end.

    Args:
        binding: with its context open.
        count: of marks.
    """
    made: list[Handle] = []
    try:
        for _ in range(count):
            made.append(binding.event())
        yield made
    finally:
        while made:
            binding.end_event(made.pop())
