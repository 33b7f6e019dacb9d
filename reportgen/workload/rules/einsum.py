"""Einsum equations: shape of the result, and the pairwise products in the order they are taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from reportgen.errors import UserError
from reportgen.workload.graph import Shape

MOST_OPTIMAL = 6
"""Operands up to which the best order is searched exhaustively; above, numpy's greedy search."""


@dataclass(frozen=True)
class Step:
    """One product (or sum of a single operand) on the way."""

    equation: str
    mac: int
    multiply: int
    """Products that nothing is added to."""
    add: int
    """Additions of a single operand's sum."""


@dataclass(frozen=True)
class Equation:
    """An equation with every index written out, `...` included."""

    terms: tuple[str, ...]
    result: str
    sizes: dict[str, int]

    @property
    def shape(self) -> Shape:
        """Of the result."""
        return tuple(self.sizes[index] for index in self.result)


def parse(equation: str, shapes: Sequence[Shape]) -> Equation:
    """Write out `...` and the implicit result; sizes of all indices.

    Raises:
        UserError: the equation does not fit the shapes.
    """
    text = equation.replace(" ", "")
    left, arrow, right = text.partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        raise UserError(f"Einsum '{equation}' has {len(terms)} terms for {len(shapes)} operands.")
    spare = [chr(code) for code in range(0x3B1, 0x3CA)]  # Greek: no equation uses them
    longest = max(
        (
            len(shape) - len(term.replace("...", ""))
            for term, shape in zip(terms, shapes, strict=True)
            if "..." in term
        ),
        default=0,
    )
    dots = "".join(spare[:longest])
    full = []
    sizes: dict[str, int] = {}
    for term, shape in zip(terms, shapes, strict=True):
        own = len(shape) - len(term.replace("...", ""))
        term = term.replace("...", dots[len(dots) - own :] if own > 0 else "")
        if len(term) != len(shape):
            raise UserError(f"Einsum '{equation}': term '{term}' does not fit the shape {shape}.")
        for index, size in zip(term, shape, strict=True):
            if sizes.setdefault(index, size) != size:
                if 1 not in (size, sizes[index]):
                    raise UserError(f"Einsum '{equation}': index '{index}' is {sizes[index]} and {size}.")
                sizes[index] = max(size, sizes[index])
        full.append(term)
    if arrow:
        result = right.replace("...", dots)
    else:
        once = sorted({index for index in left if index.isalpha() and left.count(index) == 1})
        result = dots + "".join(once)
    if not set(result) <= set(sizes):
        raise UserError(f"Einsum '{equation}': the result has an index that no operand has.")
    return Equation(tuple(full), result, sizes)


def contraction_steps(equation: str, shapes: Sequence[Shape]) -> list[Step]:
    """The pairwise steps, in the order of `contraction_path`."""
    parsed = parse(equation, shapes)
    terms = list(parsed.terms)
    steps = []
    for chosen in contraction_path(parsed):
        taken = [terms.pop(position) for position in sorted(chosen, reverse=True)][::-1]
        outside = set(parsed.result).union(*terms) if terms else set(parsed.result)
        union = list(dict.fromkeys("".join(taken)))
        kept = parsed.result if not terms else "".join(index for index in union if index in outside)
        steps.append(_step(taken, kept, union, parsed.sizes))
        terms.append(kept)
    return steps


def _step(taken: list[str], kept: str, union: list[str], sizes: dict[str, int]) -> Step:
    everything = prod(sizes[index] for index in union)
    result = prod(sizes[index] for index in kept)
    equation = f"{','.join(taken)}->{kept}"
    if len(taken) == 1:
        summed = len(set(taken[0])) > len(set(kept))
        return Step(equation, mac=0, multiply=0, add=everything - result if summed else 0)
    if everything == result:
        return Step(equation, mac=0, multiply=everything * (len(taken) - 1), add=0)
    return Step(equation, mac=everything * (len(taken) - 1), multiply=0, add=0)


def contraction_path(parsed: Equation) -> list[tuple[int, ...]]:
    """Positions of the operands that each step takes; what it makes goes to the end.

    Up to `MOST_OPTIMAL` operands the order with the least work, above it numpy's greedy one.
    """
    count = len(parsed.terms)
    if count <= 2:
        return [tuple(range(count))]
    import numpy

    nothing = numpy.zeros(())  # broadcast: shapes without memory
    operands = [
        numpy.broadcast_to(nothing, tuple(parsed.sizes[index] for index in term)) for term in parsed.terms
    ]
    latin = {
        index: chr(ord("a") + place) if place < 26 else chr(ord("A") + place - 26)
        for place, index in enumerate(parsed.sizes)
    }
    spelt = ",".join("".join(latin[i] for i in term) for term in parsed.terms)
    spelt += "->" + "".join(latin[i] for i in parsed.result)
    search = "optimal" if count <= MOST_OPTIMAL else "greedy"
    path = numpy.einsum_path(spelt, *operands, optimize=(search, 2**62))[0]
    return [tuple(step) for step in path[1:]]


def describe_path(equation: str, shapes: Sequence[Shape]) -> str:
    """The order of the products, for people: "ij,jk->ik, then ik,kl->il"."""
    return ", then ".join(step.equation for step in contraction_steps(equation, shapes))
