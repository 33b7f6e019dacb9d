"""Rows of a survey: one a form, with the latency of each pair of operands and cycles an instruction."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from reportgen.analysis.derive import Samples, derive
from reportgen.analysis.quantity import Quantity
from reportgen.analysis.survey import THROUGHPUT
from reportgen.runs.schema import ProbeInfo
from reportgen.status import USABLE, Status

FAMILY = "instruction_survey"
LEFT_OUT = "not asked for"
"""Beginning of the reason of a point that a pattern left out; see `collect.plan`."""


class PairLatency(msgspec.Struct, frozen=True):
    """From one operand to another."""

    pair: str
    """`2→1`: from operand 2 to operand 1; of what is not named its register, or `flags`."""
    status: Status
    cycles: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str = ""
    beside: int = 0
    """Instructions beside each that keep other results from being waited for."""
    through: str = ""
    """Across register files: the instructions that bring the result back; `cycles` is the sum with them."""
    predicted: float | None = None
    """What a scheduling model says of the same chain, where one was asked; with such instructions too."""
    verdict: str = ""
    """Measured beside it: one of `survey.record.VERDICTS`; empty without either number."""


class FormRow(msgspec.Struct, frozen=True):
    """What was measured of one form."""

    key: str
    mnemonic: str
    operands: tuple[str, ...]
    extension: str
    encoding: str
    text: str
    status: Status
    """Of its throughput."""
    interval: float | None = None
    """Cycles an instruction, many independent ones at once; of a censored one at most so many."""
    low: float | None = None
    high: float | None = None
    reason: str = ""
    beside: int = 0
    latencies: tuple[PairLatency, ...] = ()
    predicted: float | None = None
    """What a scheduling model says of the same body, where one was asked."""
    verdict: str = ""
    """As that of a latency."""

    @property
    def latency(self) -> PairLatency | None:
        """The longest that was measured by itself."""
        some = [one for one in self.latencies if one.cycles is not None and not one.through]
        return max(some, key=lambda one: one.cycles or 0.0, default=None)


def rows(bundle: Samples) -> tuple[FormRow, ...]:
    """Every form that was asked of, in the order of the run."""
    found: dict[str, list[Quantity]] = {}
    for one in derive(bundle):
        found.setdefault(one.probe, []).append(one)
    return tuple(
        _row(probe, found.get(probe.id, []))
        for probe in bundle.run.probes
        if probe.family == FAMILY and not _unasked(found.get(probe.id, []))
    )


def _unasked(quantities: list[Quantity]) -> bool:
    return all(one.status is Status.SKIPPED and one.reason.startswith(LEFT_OUT) for one in quantities)


def _row(probe: ProbeInfo, quantities: list[Quantity]) -> FormRow:
    constants = probe.constants
    rate = next((one for one in quantities if one.metric.endswith(f".{THROUGHPUT}")), None)
    # where nothing at all was measured there is one quantity, for the form
    rate = rate or quantities[0]
    interval = low = high = None
    if rate.status in USABLE and rate.value and rate.low:
        interval, high = 1 / rate.value, 1 / rate.low
        low = 1 / rate.high if rate.high else None
    return FormRow(
        key=probe.title,
        mnemonic=_mnemonic(str(constants["text"])),
        operands=tuple(one.partition(":")[0] for one in str(constants["operands"]).split()),
        extension=str(constants["extension"]),
        encoding=str(constants["encoding"]),
        text=str(constants["text"]),
        status=rate.status,
        interval=interval,
        low=low,
        high=high,
        reason=rate.reason,
        beside=int(rate.details.get("beside", 0)),
        latencies=tuple(
            _latency(one, constants.get("through", {})) for one in quantities if ".latency." in one.metric
        ),
    )


def _mnemonic(text: str) -> str:
    """`vaddps`; of an atomic one `lock add`."""
    words = text.replace("{{evex}}", "").split()
    return " ".join(words[:2]) if words[0] == "lock" else words[0]


def _latency(one: Quantity, through: Mapping[str, str]) -> PairLatency:
    usable = one.status in USABLE
    pair = one.metric.rpartition(".")[2]
    return PairLatency(
        pair=pair.replace("to", "→", 1),
        status=one.status,
        cycles=one.value if usable else None,
        low=one.low if usable else None,
        high=one.high if usable else None,
        reason=one.reason if one.status is not Status.OK else "",
        beside=int(one.details.get("beside", 0)),
        through=through.get(pair, ""),
    )
