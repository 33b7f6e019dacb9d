"""Rules by kind of operation: what it computes, from shapes alone.

    from reportgen.workload.rules import Work, rule

    @rule("MyNorm")
    def my_norm(op):
        return Work(flop=4 * op.outs[0].size)

A kind without a rule is not zero: its operations are reported as not counted, with this recipe.
"""

from __future__ import annotations

from collections.abc import Callable

from reportgen.workload.graph import Op
from reportgen.workload.work import NOTHING, Work

Rule = Callable[[Op], Work]

_RULES: dict[str, Rule] = {}
_NEEDS_NO_SHAPE: set[str] = set()
_VIEWS: set[str] = set()


class Uncountable(Exception):
    """A rule cannot tell the work of this operation, for example because it depends on the data."""


def rule(*kinds: str) -> Callable[[Rule], Rule]:
    """Register the decorated function for `kinds`; a later rule replaces an earlier one."""

    def register(function: Rule) -> Rule:
        for kind in kinds:
            _RULES[kind] = function
            _NEEDS_NO_SHAPE.discard(kind)
        return function

    return register


def no_work(*kinds: str, view: bool = False) -> None:
    """Register kinds that compute nothing; `view`: that do not move bytes either."""
    for kind in kinds:
        _RULES[kind] = _nothing
        _NEEDS_NO_SHAPE.add(kind)
    if view:
        _VIEWS.update(kinds)


def _nothing(op: Op) -> Work:
    return NOTHING


def find(kind: str) -> Rule | None:
    """The rule of a kind."""
    return _RULES.get(kind)


def needs_shapes(kind: str) -> bool:
    """Whether the rule of a kind looks at shapes; what only moves data computes nothing of any shape."""
    return kind not in _NEEDS_NO_SHAPE


def is_view(kind: str) -> bool:
    """Whether the kind gives its input another shape without touching the elements."""
    return kind in _VIEWS


def kinds() -> tuple[str, ...]:
    """Every kind that has a rule."""
    return tuple(sorted(_RULES))


def recipe(kind: str) -> str:
    """What to write for a kind that has no rule."""
    return (
        f"'{kind}' has no rule. Add one: from reportgen.workload.rules import Work, rule; "
        f"@rule({kind!r}) def work(op): return Work(flop=op.outs[0].size)"
    )
