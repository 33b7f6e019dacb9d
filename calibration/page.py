"""`docs/method/calibration.md` and the files beside it, from the counted numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
from jinja2 import Environment, StrictUndefined

from calibration import picture
from calibration.counts import (
    AGAINST,
    COVERED,
    LEAST_FINDINGS,
    READINGS,
    TENTHS,
    WITHIN,
    Calibration,
    Cores,
    Gpus,
    OfKind,
    Readings,
    Share,
    Tenth,
    ends_against_truth,
    meaning_of,
)
from calibration.gpu_kinds import UNCOUNTED, GpuKind
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
    "slowing": "explanation of a rate that fell",
    "reported": "agreement with what the system reports",
}
"""Kinds of findings whose name in the data is not what a reader calls them."""


def files(numbers: Calibration) -> dict[str, str]:
    """Name -> text of everything that is published."""
    light = picture.draw(numbers.cores.reliability, numbers.gpus.reliability)
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
    environment = Environment(undefined=StrictUndefined, keep_trailing_newline=True, autoescape=False)
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        command=COMMAND,
        cores=_summary(numbers.cores),
        gpus=_summary(numbers.gpus),
        least=_percent(COVERED[0]),
        most=_percent(COVERED[1]),
        within=f"{WITHIN * 100:.0f}",
        least_findings=LEAST_FINDINGS,
        alternative=_alternative(numbers),
        width=size[0],
        height=size[1],
        coverage=list(_intervals(numbers.cores)),
        reliability=list(_reliability(numbers.cores.reliability)),
        kinds=list(_by_kind(numbers.cores.findings)),
        sharing=list(_sharing(numbers.cores.sharing)),
        hypotheses=list(_hypotheses(numbers.cores)),
        gpu_coverage=list(_intervals(numbers.gpus)),
        gpu_reliability=list(_reliability(numbers.gpus.reliability, anchored=False)),
        gpu_sharing=list(_sharing(numbers.gpus.sharing, "pipe", "something before their pipes")),
        gpu_explained=list(_by_kind(numbers.gpus.explained)),
        gpu_hypotheses=list(_hypotheses(numbers.gpus)),
        against=_against(numbers.gpus),
        most_against=_percent(AGAINST),
        gpu_kinds=list(_by_kind(numbers.gpus.findings)),
        uncounted=list(_uncounted()),
    )


@dataclass(frozen=True)
class Summary:
    """What the sentences above the tables of a part say."""

    first: int
    last: int
    devices: int
    intervals: str
    covered: str
    findings: str
    off: str


def _summary(part: Cores | Gpus) -> Summary:
    seeds, tenths = part.seeds, part.reliability
    meant = [one.share for one in part.intervals if not meaning_of(part, one).bracket]
    return Summary(
        seeds.first,
        seeds.first + seeds.devices - 1,
        seeds.devices,
        f"{sum(share.count for share in meant):,}",
        _range(share.value for share in meant),
        f"{sum(one.right.count for one in tenths):,}",
        f"{max((abs(one.off) for one in tenths if one.enough), default=0.0) * 100:.1f}",
    )


def _uncounted() -> Iterator[list[str]]:
    """Kinds of quantities that no row counts, those of one reason together."""
    yield ["quantities", "are not counted on GPUs since each"]
    reasons: dict[str, list[str]] = {}
    for kind, reason in UNCOUNTED.items():
        reasons.setdefault(reason, []).append(kind.value.replace("_", " "))
    yield from ([", ".join(names), reason] for reason, names in reasons.items())


def _against(part: Gpus) -> str:
    decided, wrong = ends_against_truth(part.hypotheses)
    return f"{wrong:,} of {decided:,}"


def _percent(share: float, digits: int = 0) -> str:
    return f"{share * 100:.{digits}f} %"


def _range(shares: Iterable[float]) -> str:
    some = sorted(shares)
    return f"{some[0] * 100:.1f} to {some[-1] * 100:.1f} %"


def _with_ends(share: Share) -> str:
    ends = f"({share.low * 100:.1f} … {share.high * 100:.1f})".replace(" ", NO_BREAK)
    return f"{share.value * 100:.1f}{NO_BREAK}% {ends}"


def _intervals(part: Cores | Gpus) -> Iterator[list[str]]:
    yield ["interval of", "right means that", "how many", "hold the truth", "median half width", "at most"]
    for one in part.intervals:
        meaning = meaning_of(part, one)
        half, most = (
            (f"{one.half:.4f}", f"{meaning.widest:g}")
            if meaning in (Kind.INTERFERENCE.value, GpuKind.INTERFERENCE.value)
            else (_percent(one.half, 2), f"{meaning.widest * 100:g} %")
        )
        yield [meaning.title, meaning.right, f"{one.share.count:,}", _with_ends(one.share), half, most]


def _bounds(at: int, anchored: bool) -> str:
    """The ends of a tenth, with the anchor that findings of such a confidence lead to."""
    anchor = f'<span id="{tenth_anchor(at / TENTHS)}"></span>' if anchored else ""
    return f"{anchor}{at / TENTHS:.1f} … {(at + 1) / TENTHS:.1f}"


def _reliability(tenths: tuple[Tenth, ...], *, anchored: bool = True) -> Iterator[list[str]]:
    yield ["confidence", "findings", "of devices", "mean confidence", "right", "difference, points"]
    by_place = {round(one.low * TENTHS): one for one in tenths}
    for at in range(TENTHS):
        one = by_place.get(at)
        if one is None:
            yield [_bounds(at, anchored), "0", "0", "", "", "no finding"]
            continue
        off = f"{one.off * 100:+.1f}" if one.enough else "too few to tell"
        yield [
            _bounds(at, anchored), f"{one.right.count:,}", str(one.devices), f"{one.confidence:.3f}",
            _with_ends(one.right), off,
        ]  # fmt: skip


def _alternative(numbers: Calibration) -> str:
    def told(tenths: tuple[Tenth, ...]) -> str:
        return "; ".join(
            f"confidence {one.confidence:.2f}, {one.right.value * 100:.0f} % right"
            for one in tenths
            if one.enough
        )

    return (
        "Share of right findings against mean confidence, tenth by tenth. "
        f"Cores: {told(numbers.cores.reliability)}. GPUs: {told(numbers.gpus.reliability)}."
    )


def _by_kind(findings: tuple[OfKind, ...]) -> Iterator[list[str]]:
    yield ["finding about", "how many", "mean confidence", "right"]
    for one in sorted(findings, key=lambda row: -row.right.count):
        kind, comma, more = one.kind.partition(", ")
        name = WORDS.get(kind, kind.replace("_", " ")) + comma + more
        yield [name, f"{one.right.count:,}", f"{one.confidence:.3f}", _with_ends(one.right)]


def _truth(row: Readings, port: str, limit: str) -> str:
    if row.ports:
        return f"some {port} serves both" + (f", and {limit}" if row.limit else "")
    return f"no {port}, but {limit} serves both" if row.limit else "nothing serves both"


def _sharing(
    rows: tuple[Readings, ...], port: str = "port", limit: str = "another limit"
) -> Iterator[list[str]]:
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
        yield [devices, _truth(row, port, limit), *(f"{row.readings[name]:,}" for name in READINGS), share]


def _hypotheses(numbers: Cores | Gpus) -> Iterator[list[str]]:
    yield ["analysis", "truth", *(f"ends {verdict.value}" for verdict in Verdict)]
    for row in numbers.hypotheses:
        counts = (f"{row.verdicts[verdict.value]:,}" for verdict in Verdict)
        yield [row.analysis.replace("_", " "), row.truth, *counts]
