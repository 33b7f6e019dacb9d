"""`docs/method/calibration.md` and the files beside it, from the counted numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec
from jinja2 import Environment, StrictUndefined

from calibration import picture
from calibration.counts import (
    COVERED,
    LEAST_FINDINGS,
    READINGS,
    TENTHS,
    WITHIN,
    Calibration,
    Readings,
    Share,
    Tenth,
)
from calibration.kinds import Kind
from reportgen.findings.finding import Verdict
from reportgen.site.address import tenth_anchor
from reportgen.site.figures import style

NAME = "calibration"
TEMPLATE = Path(__file__).with_name("page.md.j2")
COMMAND = "make calibration"
NO_BREAK = "\N{NO-BREAK SPACE}"
WORDS = {
    "chase": "latency of a chase",
    "level_latency": "latency of a level",
    "tlb_reach": "TLB reach",
    "sharing": "inference that two kinds share a resource",
    "reported": "agreement with what the system reports",
}
"""Kinds of findings whose name in the data is not what a reader calls them."""


def files(numbers: Calibration) -> dict[str, str]:
    """Name -> text of everything that is published."""
    light = picture.draw(numbers.reliability)
    encoded = msgspec.json.format(msgspec.json.encode(numbers), indent=1).decode()
    return {
        f"{NAME}.md": page(numbers, style.viewbox(light)),
        f"{NAME}.json": encoded + "\n",
        f"{NAME}.light.svg": light,
        f"{NAME}.dark.svg": style.recolour(light),
    }


def read(text: str | bytes) -> Calibration:
    """The numbers of a published file; raises msgspec.ValidationError where its format is another one."""
    return msgspec.json.decode(text, type=Calibration)


def page(numbers: Calibration, size: tuple[int, int]) -> str:
    """The Markdown page; `size` is that of the picture, pixels."""
    seeds, tenths = numbers.seeds, numbers.reliability
    meant = [one.share for one in numbers.intervals if not Kind[one.kind].value.bracket]
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False)
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        command=COMMAND,
        seeds=seeds,
        last=seeds.first + seeds.devices - 1,
        intervals=f"{sum(share.count for share in meant):,}",
        covered=_range(share.value for share in meant),
        findings=f"{sum(one.right.count for one in tenths):,}",
        off=f"{max((abs(one.off) for one in tenths if one.enough), default=0.0) * 100:.1f}",
        least=_percent(COVERED[0]),
        most=_percent(COVERED[1]),
        within=f"{WITHIN * 100:.0f}",
        least_findings=LEAST_FINDINGS,
        alternative=_alternative(tenths),
        width=size[0],
        height=size[1],
        coverage=list(_intervals(numbers)),
        reliability=list(_reliability(tenths)),
        kinds=list(_by_kind(numbers)),
        sharing=list(_sharing(numbers.sharing)),
        hypotheses=list(_hypotheses(numbers)),
    )


def _percent(share: float, digits: int = 0) -> str:
    return f"{share * 100:.{digits}f} %"


def _range(shares: Iterable[float]) -> str:
    some = sorted(shares)
    return f"{some[0] * 100:.1f} to {some[-1] * 100:.1f} %"


def _with_ends(share: Share) -> str:
    ends = f"({share.low * 100:.1f} … {share.high * 100:.1f})".replace(" ", NO_BREAK)
    return f"{share.value * 100:.1f}{NO_BREAK}% {ends}"


def _intervals(numbers: Calibration) -> Iterator[list[str]]:
    yield ["interval of", "right means that", "how many", "hold the truth", "median half width", "at most"]
    for one in numbers.intervals:
        meaning = Kind[one.kind].value
        half, most = (
            (f"{one.half:.4f}", f"{meaning.widest:g}")
            if Kind[one.kind] is Kind.INTERFERENCE
            else (_percent(one.half, 2), f"{meaning.widest * 100:g} %")
        )
        yield [meaning.title, meaning.right, f"{one.share.count:,}", _with_ends(one.share), half, most]


def _bounds(at: int) -> str:
    """The ends of a tenth, with the anchor that findings of such a confidence lead to."""
    return f'<span id="{tenth_anchor(at / TENTHS)}"></span>{at / TENTHS:.1f} … {(at + 1) / TENTHS:.1f}'


def _reliability(tenths: tuple[Tenth, ...]) -> Iterator[list[str]]:
    yield ["confidence", "findings", "of devices", "mean confidence", "right", "difference, points"]
    by_place = {round(one.low * TENTHS): one for one in tenths}
    for at in range(TENTHS):
        one = by_place.get(at)
        if one is None:
            yield [_bounds(at), "0", "0", "", "", "no finding"]
            continue
        off = f"{one.off * 100:+.1f}" if one.enough else "too few to tell"
        yield [
            _bounds(at), f"{one.right.count:,}", str(one.devices), f"{one.confidence:.3f}",
            _with_ends(one.right), off,
        ]  # fmt: skip


def _alternative(tenths: tuple[Tenth, ...]) -> str:
    some = "; ".join(
        f"confidence {one.confidence:.2f}, {one.right.value * 100:.0f} % right"
        for one in tenths
        if one.enough
    )
    return f"Share of right findings against mean confidence, tenth by tenth: {some}."


def _by_kind(numbers: Calibration) -> Iterator[list[str]]:
    yield ["finding about", "how many", "mean confidence", "right"]
    for one in sorted(numbers.findings, key=lambda row: -row.right.count):
        name = WORDS.get(one.kind, one.kind.replace("_", " "))
        yield [name, f"{one.right.count:,}", f"{one.confidence:.3f}", _with_ends(one.right)]


def _truth(row: Readings) -> str:
    if row.ports:
        return "some port serves both" + (", and another limit" if row.limit else "")
    return "no port, but another limit serves both" if row.limit else "nothing serves both"


def _sharing(rows: tuple[Readings, ...]) -> Iterator[list[str]]:
    yield [
        "devices",
        "truth",
        *(f"read as {name}" if name != READINGS[-1] else name for name in READINGS),
        "wrong",
    ]
    for row in rows:
        shared = row.ports or row.limit
        wrong = sum(
            number
            for name, number in row.readings.items()
            if name != READINGS[-1] and (name == "separate") is shared
        )
        told = sum(row.readings.values()) - row.readings[READINGS[-1]]
        share = f"{wrong:,} of {told:,}, {_percent(wrong / told, 1)}" if told else "0"
        devices = "troubled" if row.troubled else "as they are"
        yield [devices, _truth(row), *(f"{row.readings[name]:,}" for name in READINGS), share]


def _hypotheses(numbers: Calibration) -> Iterator[list[str]]:
    yield ["analysis", "truth", *(f"ends {verdict.value}" for verdict in Verdict)]
    for row in numbers.hypotheses:
        counts = (f"{row.verdicts[verdict.value]:,}" for verdict in Verdict)
        yield [row.analysis.replace("_", " "), row.truth, *counts]
