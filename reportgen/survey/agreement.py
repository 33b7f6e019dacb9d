"""A survey beside the curated suite: the numbers that both have.

A curated operation is a form of the survey where its assembly is one instruction whose operands the survey
gives the same kinds.  Operations whose time depends on their values are left out: the two choose others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from reportgen.analysis.quantity import Quantity
from reportgen.analysis.survey_rows import FormRow
from reportgen.runs.schema import Run
from reportgen.status import Status
from reportgen.suite.definition import Operation
from reportgen.survey.record import Agreement, Compared

SHARE = 0.02
MOST_APART = 40
_PLACE = re.compile(r"\{([dabt])(?:\.(\w+))?\}(\{\{k\d\}\})?(\{\{z\}\})?")
"""An operand, and the mask that it may be under."""
_WIDTHS = {"x": "xmm", "y": "ymm", "z": "zmm"}


def agreement(
    rows: Sequence[FormRow], run: Run, quantities: Iterable[Quantity], table: Mapping[str, Operation]
) -> Agreement:
    """Both numbers of every form that a run of the suite has too.

    Args:
        rows: of the survey.
        run: of the suite.
        quantities: of that run.
        table: the suite's operations.
    """
    by_key = {row.key: row for row in rows}
    known = {one.metric: one for one in quantities if one.status is Status.OK and one.value}
    found: list[Compared] = []
    for name, operation in table.items():
        form = operation.form
        if operation.trivial or not form or ";" in form or operation.repeat != 1 or operation.companions:
            continue
        kinds = operands(operation)
        row = _row(by_key, operation, kinds)
        if row is None or kinds is None:
            continue
        rate = known.get(f"throughput.{name}")
        if rate is not None and rate.value and row.interval and row.status is Status.OK:
            found.append(_rate(row, name, rate))
        latency = known.get(f"latency.{name}")
        pair = chained(form)
        for one in row.latencies:
            if latency is not None and latency.value and one.pair == pair and one.cycles and not one.through:
                near = _meet((one.cycles, one.low, one.high), (latency.value, latency.low, latency.high))
                found.append(Compared(row.key, name, pair, one.cycles, latency.value, near))
    apart = sorted((one for one in found if not one.within), key=lambda one: -abs(one.survey / one.suite - 1))
    return Agreement(run.run, SHARE, len(found), len(found) - len(apart), tuple(apart[:MOST_APART]))


def operands(operation: Operation) -> tuple[str, ...] | None:
    """Kinds of the operands of a curated form as the survey names them; None where it has no such form."""
    text = operation.form.replace("{{evex}}", "").replace("{evex}", "").replace("{vex}", "").strip()
    _, _, rest = text.partition(" ")
    found = []
    for word in (part.strip() for part in rest.split(",")):
        place = _PLACE.fullmatch(word)
        if place is not None:
            other = place[1] == "t"
            if other and not place[2]:
                return None
            width = place[2] or operation.registers
            found.append(_WIDTHS.get(width, width))
            if place[3]:
                found.append("kz" if place[4] else "k")
        elif re.fullmatch(r"\d+|0x[0-9a-fA-F]+", word):
            value = int(word, 0)
            found.append("imm8" if value < 128 else "imm32")
        elif word in ("cl", "eax", "rax"):
            found.append(word)
        else:
            return None
    return tuple(found)


def chained(form: str) -> str:
    """The pair that the chain of a curated form goes through: `2→1` where operand 2 is the result again."""
    words = form.partition(" ")[2].split(",")
    again = [number for number, word in enumerate(words[1:], 2) if "{d" in word]
    return f"{again[0]}→1" if again else "1→1"


def _row(rows: Mapping[str, FormRow], operation: Operation, kinds: tuple[str, ...] | None) -> FormRow | None:
    if kinds is None:
        return None
    mnemonic = operation.form.replace("{evex}", "").replace("{vex}", "").replace("{{}}", "").split()[0]
    key = "_".join([mnemonic, *kinds])
    return rows.get(key) or rows.get(f"{key}_evex")


def _rate(row: FormRow, name: str, rate: Quantity) -> Compared:
    interval, value = float(row.interval or 0.0), float(rate.value or 0.0)
    low = 1 / rate.high if rate.high else None
    high = 1 / rate.low if rate.low else None
    near = _meet((interval, row.low, row.high), (1 / value, low, high))
    return Compared(row.key, name, "throughput", interval, 1 / value, near)


def _meet(
    first: tuple[float, float | None, float | None], second: tuple[float, float | None, float | None]
) -> bool:
    """Whether two numbers are within `SHARE` of each other, or their intervals meet."""
    if abs(first[0] / second[0] - 1) <= SHARE:
        return True
    ends = (first[1], first[2], second[1], second[2])
    if any(one is None for one in ends):
        return False
    return bool(first[1] <= second[2] and second[1] <= first[2])  # type: ignore[operator]
