"""The count of a graph: every operation once, what could not be counted named.

count = reportgen.count("model.onnx", {"batch": 1})
count.total.mac, count.traffic.compulsory, count.by_module(depth=2)
"""

from __future__ import annotations

from collections import Counter as Tally
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from reportgen.errors import UserError
from reportgen.workload import breakdown
from reportgen.workload.bytes import Traffic, traffic
from reportgen.workload.graph import Graph, Op
from reportgen.workload.memory import Footprint, footprint
from reportgen.workload.precision import precision
from reportgen.workload.rules import Uncountable, control_flow, find, needs_shapes, recipe
from reportgen.workload.rules.einsum import describe_path
from reportgen.workload.rules.registry import Rule
from reportgen.workload.work import NOTHING, Work

if TYPE_CHECKING:
    from reportgen.workload.attention import AttentionReport


class Row(msgspec.Struct, frozen=True, gc=False):
    """One operation in the count."""

    op: Op
    times: int
    """How often it runs: the product of the trip counts around it."""
    work: Work
    """Of one run; nothing where `reason` says that it was not counted."""
    reason: str = ""
    inside: Graph | None = None
    """The body it belongs to, None for the graph itself."""


@dataclass(frozen=True, eq=False)
class Count:
    """Totals, coverage, bytes, memory and breakdowns of one graph."""

    graph: Graph
    rows: tuple[Row, ...]

    @cached_property
    def total(self) -> Work:
        """All that was counted; a lower bound unless `exact`."""
        return breakdown.add_up(self.rows)

    @cached_property
    def uncounted(self) -> dict[str, tuple[int, str]]:
        """Kind -> (operations of it that were not counted, why)."""
        left_out = [row for row in self.rows if row.reason]
        number = Tally(row.op.kind for row in left_out)
        reasons = {row.op.kind: row.reason for row in reversed(left_out)}
        return {kind: (many, reasons[kind]) for kind, many in number.items()}

    @property
    def counted(self) -> int:
        """Operations with a count (of nothing, too)."""
        return len(self.rows) - sum(many for many, _ in self.uncounted.values())

    @property
    def coverage(self) -> float:
        """Share of the operations that were counted; 1 for a graph without any."""
        return self.counted / len(self.rows) if self.rows else 1.0

    @cached_property
    def cells(self) -> dict[breakdown.Cell, list[int]]:
        """Sums by kind and module, of which the breakdowns are made."""
        return breakdown.cells(self)

    @cached_property
    def _with_bodies(self) -> list[Op]:
        return [row.op for row in self.rows if row.op.bodies]

    @cached_property
    def doubts(self) -> tuple[str, ...]:
        """What makes the total less than certain, one sentence each, operations without a rule apart."""
        found = [doubt for op in self._with_bodies if (doubt := control_flow.doubt(op))]
        paths = [
            _path(row.op)
            for row in self.rows
            if row.op.kind == "Einsum" and len(row.op.ins) > 2 and not row.reason
        ]
        return tuple(dict.fromkeys([*self.graph.notes, *found, *paths]))

    @cached_property
    def exact(self) -> bool:
        """Whether nothing was left out: otherwise totals read ">= x"."""
        unknown = any(body.times is None for op in self._with_bodies for body in op.bodies)
        return not self.uncounted and not unknown

    @cached_property
    def traffic(self) -> Traffic:
        """Bytes: compulsory and unfused, weights, inputs, outputs, cache."""
        return traffic(self.graph, self.rows)

    @cached_property
    def memory(self) -> Footprint:
        """Bytes that are occupied: weights, live activations at most, cache."""
        return footprint(self.graph)

    @cached_property
    def attention(self) -> AttentionReport:
        """The attentions that were found, of those expected."""
        from reportgen.workload.attention import find_attention

        return find_attention(self)

    @cached_property
    def by_precision(self) -> dict[str, Work]:
        """Type in which the products are computed -> MAC and other FLOP in it."""
        found: dict[str, list[int]] = {}
        plain: dict[Op | tuple[str | None, ...], str] = {}  # where nothing is quantised, types say all
        for row in self.rows:
            op, mac, flop = row.op, row.work.mac, row.work.flop
            if not (mac or flop):
                continue
            graph = row.inside or self.graph
            if graph.dequantised:
                name = precision(op, graph)
            else:
                key = op.like or _types(op)
                name = plain.get(key) or plain.setdefault(key, precision(op, graph))
            sums = found.setdefault(name, [0, 0])
            sums[0] += mac * row.times
            sums[1] += flop * row.times
        return {name: Work(mac, flop) for name, (mac, flop) in sorted(found.items())}

    @property
    def intensity(self) -> tuple[float, float]:
        """(2 MAC + FLOP) / byte: with each operation on its own, and with each byte moved once."""
        work = self.total.flop_total
        unfused, compulsory = self.traffic.unfused, self.traffic.compulsory
        return (work / unfused if unfused else 0.0, work / compulsory if compulsory else 0.0)

    def by_module(self, depth: int = 1) -> dict[str, breakdown.Share]:
        """Module path cut at `depth` -> its share of the work."""
        return breakdown.by_module(self, depth)

    def by_kind(self) -> dict[str, breakdown.Share]:
        """Kind of operation -> its share of the work, the largest first."""
        return breakdown.by_kind(self)

    def require_exact(self) -> None:
        """Raise where something was left out.

        Raises:
            UserError: it names the kinds and how to add a rule.
        """
        if self.exact:
            return
        if not self.uncounted:
            raise UserError(self.doubts[-1] + ".", "Count without --strict, or fix the trip count.")
        named = ", ".join(f"{many} x {kind}" for kind, (many, _) in self.uncounted.items())
        first = next(reason for _, reason in self.uncounted.values())
        raise UserError(f"Not every operation could be counted: {named}.", f"{first}.")

    def to_json(self, depth: int = 1) -> dict[str, Any]:
        """Everything as plain data; `docs/method/counting.md` describes the keys."""
        from reportgen.workload.export import as_json

        return as_json(self, depth)


def count_graph(graph: Graph) -> Count:
    """Count every operation that the outputs of `graph` need.

    Raises:
        UserError: the graph is cyclic, or an operation lacks an input that its kind needs.
    """
    return Count(graph, tuple(_rows(graph)))


def count(model: Graph | str | Path, dims: Mapping[str, int] | None = None, *, strict: bool = False) -> Count:
    """Count a graph, or a model in an ONNX file.

    Args:
        model: a graph of any front end, or the path of an ONNX file (extra `onnx`).
        dims: value of each dimension that the file leaves open.
        strict: an operation that cannot be counted is an error, not a lower bound.

    Raises:
        UserError: no ONNX file, an open dimension (it is named), a cyclic graph; with `strict` an
            operation without a rule.
    """
    if isinstance(model, Graph):
        if dims:
            raise UserError("Only a file has open dimensions; the graph given has none.")
        graph = model
    else:
        from reportgen.workload.onnx_reader import read_onnx

        graph = read_onnx(Path(model), dims or {})
    counted = count_graph(graph)
    if strict:
        counted.require_exact()
    return counted


def _types(op: Op) -> tuple[str | None, ...]:
    """The kind, and the type of each operand and result."""
    return (op.kind, *[None if tensor is None else tensor.dtype for tensor in (*op.ins, *op.outs)])


def _path(op: Op) -> str:
    """In which order the operands of an einsum are multiplied in the count."""
    equation = str(op.attrs["equation"])
    return f"Einsum {equation} is counted as {describe_path(equation, [one.shape for one in op.given])}"


def _rows(graph: Graph, inside: Graph | None = None) -> list[Row]:
    """Rows of a graph and of the bodies in it.

    Recursion is over loops in loops only, which file formats bound, never over operations.
    """
    found = []
    rules: dict[str, Rule | None] = {}
    works: dict[Op, Work] = {}  # of operations that others are like
    for op in graph.order:
        like = op.like
        if like is not None and like in works:
            found.append(Row(op, 1, works[like], "", inside))
            continue
        kind = op.kind
        if kind not in rules:
            rules[kind] = find(kind)
        work, reason = _work(op, rules[kind])
        if like is not None and not reason:  # a reason names the operation
            works[like] = work
        found.append(Row(op, 1, work, reason, inside))
        if not op.bodies:
            continue
        bodies = [(_rows(body.graph, body.graph), control_flow.trips(body)) for body in op.bodies]
        if control_flow.is_choice(op):
            bodies = [max(bodies, key=_weight)]
        for rows, trips in bodies:
            found.extend(Row(row.op, row.times * trips, row.work, row.reason, row.inside) for row in rows)
    return found


def _weight(branch: tuple[list[Row], int]) -> float:
    return sum(
        row.times * (row.work.weighted() + row.work.integer + row.work.comparison) for row in branch[0]
    )


def work_of(op: Op) -> tuple[Work, str]:
    """The work of one operation, and why there is none of it if it could not be counted."""
    return _work(op, find(op.kind))


def _work(op: Op, rule: Rule | None) -> tuple[Work, str]:
    if rule is None:
        return NOTHING, recipe(op.kind)
    if needs_shapes(op.kind) and not _shapes_known(op):
        return NOTHING, f"{op.label}: its shapes are not known; {_unknown_from(op)}"
    try:
        return rule(op), ""
    except Uncountable as unknown:
        return NOTHING, f"'{op.kind}' cannot be counted: {unknown}"
    except UserError as broken:
        return NOTHING, broken.message
    except (LookupError, ValueError, TypeError, ZeroDivisionError) as fault:
        return NOTHING, f"{op.label} is not as its kind says ({type(fault).__name__}: {fault})"


def _shapes_known(op: Op) -> bool:
    for tensor in op.ins:
        if tensor is not None and not tensor.known:
            return False
    for tensor in op.outs:  # noqa: SIM110  # a generator a call is what a chain of 200,000 waits for
        if not tensor.known:
            return False
    return True


def _unknown_from(op: Op) -> str:
    lacking = [tensor.name for tensor in (*op.given, *op.outs) if not tensor.known]
    return f"the file gives '{lacking[0]}' no shape, or an operation before it has no shape rule"
