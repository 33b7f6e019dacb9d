"""Parts that several pages use: a finding, a status, a number, a figure."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from reportgen.findings.crosschecks import ABSENT
from reportgen.findings.finding import Claim, Finding
from reportgen.findings.metric import Kind, parse
from reportgen.findings.wording.names import FAR_APART
from reportgen.model.architecture import Fact
from reportgen.site.markup import Html, anchor, code, element, escape, facts, fold, join, void
from reportgen.site.tables import Cell, Column
from reportgen.status import Status
from reportgen.units import format_interval, format_value, significant

CLAIMS = {
    Claim.MEASURED: "The device did this.",
    Claim.INFERRED: "An explanation of what was measured; others are listed where the evidence allows them.",
    Claim.COMPILER_ENCODED: "What the vendor's assembler assumes, read from its machine code.",
    Claim.PUBLISHED: "Somebody else's figure, with its source.",
    Claim.NOMINAL: "Vendor data, or what a driver reports.",
}


def claim(level: Claim, *, explained: bool = False) -> Html:
    """The claim level as a word in a box, with its meaning on hover where it is `explained`."""
    note = CLAIMS[level] if explained else None
    return element("span", level.value, class_=f"rg-claim rg-{level.value}", title=note)


def confidence(value: float, counted: str = "") -> Html:
    """Confidence with the word beside it; `counted` is where is told how often it is right."""
    return element("span", anchor(f"confidence {value:.2f}", counted), class_="rg-confidence")


INTERVALS = (
    Kind.CAPACITY,
    Kind.TLB_REACH,
    Kind.PATH_CAPACITY,
    Kind.SHARED_CAPACITY,
    Kind.STEP,
    Kind.BLOCKS,
    Kind.WINDOW,
    Kind.BRANCH_END,
    Kind.RETURN_DEPTH,
    Kind.FETCH_CAPACITY,
    Kind.GRANULE,
)
"""Boundaries: the interval is the result, its middle is not."""

COUNTED = {
    Kind.TLB_REACH: "pages",
    Kind.ASSOCIATIVITY: "ways",
    Kind.BRANCH_END: "branches",
    Kind.RETURN_DEPTH: "levels",
    Kind.LOOP_GROUP: "instructions",
}
"""What a count is the count of, where the name of the metric leaves it open."""

SHARP = 0.005
"""Half width of an interval, relative to the value, from which a fourth digit says nothing."""
MOST, FEWER = 4, 3
"""Significant digits of a number that is known better and worse than that."""


def status(state: Status, reason: str = "") -> Html:
    """The status as a word in a box; the reason stands beside it unless all is well."""
    word = element("span", state.value.replace("_", " "), class_=f"rg-status rg-status-{state.value}")
    return join((word, reason), " ") if reason else word


def digits_of(fact: Fact) -> int:
    """Significant digits that the interval of a number leaves a meaning to.

    A size of bytes is one of those that were tried, so all its digits have one where both ends are near.
    """
    if fact.low is None or fact.high is None:
        return MOST
    middle = fact.value if fact.value is not None else (fact.low + fact.high) / 2
    half = max(abs(middle - fact.low), abs(fact.high - middle))
    return MOST if half <= SHARP * abs(middle) else FEWER


def number(fact: Fact, digits: int | None = None) -> Html:
    """The value as people read it: a boundary as its interval, a bound as one, modes all named."""
    text = _number(fact, digits if digits is not None else digits_of(fact))
    name = parse(fact.metric)
    if fact.unit != "count" or name.kind not in COUNTED or text == "–":
        return text
    word = "addresses" if name.pages in FAR_APART else COUNTED[name.kind]
    return join((text, " ", word))


def _number(fact: Fact, digits: int) -> Html:
    if len(fact.modes) > 1:
        return escape(" / ".join(format_value(mode, fact.unit, digits) for mode in fact.modes))
    if fact.status is Status.CENSORED and fact.low is not None:
        return escape(f"at least {format_value(fact.low, fact.unit, digits)}")
    if fact.value is not None and parse(fact.metric).kind not in INTERVALS:
        return escape(format_value(fact.value, fact.unit, digits))
    if fact.low is not None and fact.high is not None:
        return escape(format_interval(fact.low, fact.high, fact.unit, digits))
    return Html("–")


def sort_key(fact: Fact | None) -> float | None:
    """What a table sorts a number by."""
    if fact is None:
        return None
    if fact.value is None and fact.modes:
        return fact.modes[0]
    return fact.value if fact.value is not None else fact.low


def number_cell(fact: Fact | None, digits: int | None = None) -> Cell:
    """A cell with the value; where there is none, the status as a word and the reason on hover."""
    if fact is None:
        return Cell("–", note="not asked in this run")
    if sort_key(fact) is None:
        return Cell(status(fact.status), note=fact.reason)
    return Cell(number(fact, digits), sort=sort_key(fact))


def bare_cell(fact: Fact | None, digits: int | None = None) -> Cell:
    """The same without a unit, for a column whose head names it."""
    cell = number_cell(fact, digits)
    if fact is None or cell.sort is None:
        return cell
    digits = digits if digits is not None else digits_of(fact)
    if len(fact.modes) > 1:
        return Cell(" / ".join(_bare(mode, fact.unit, digits) for mode in fact.modes), sort=cell.sort)
    if fact.status is Status.CENSORED:
        return Cell(f"≥ {_bare(cell.sort, fact.unit, digits)}", sort=cell.sort)
    return Cell(_bare(cell.sort, fact.unit, digits), sort=cell.sort)


def _bare(value: float, unit: str, digits: int) -> str:
    """Digits without a unit; a ratio about 0 has fixed decimals, or noise would look like precision."""
    if unit == "ratio":
        return f"{round(value, 3) + 0.0:.3f}"
    return significant(value, digits)


def interval_cell(fact: Fact | None, digits: int | None = None) -> Cell:
    """The interval as people read it; of a boundary, whose value it is, none beside that."""
    if fact is None or fact.low is None or fact.high is None:
        return Cell("–")
    width = fact.high - fact.low
    if parse(fact.metric).kind in INTERVALS and fact.status is not Status.CENSORED:
        return Cell("–", sort=width, note="the value is an interval: a boundary lies between two settings")
    digits = digits if digits is not None else digits_of(fact)
    return Cell(format_interval(fact.low, fact.high, fact.unit, digits), sort=width)


def bare_interval_cell(fact: Fact | None, digits: int | None = None) -> Cell:
    """The interval without a unit."""
    if fact is None or fact.low is None or fact.high is None:
        return Cell("–")
    digits = digits if digits is not None else digits_of(fact)
    low, high = _bare(fact.low, fact.unit, digits), _bare(fact.high, fact.unit, digits)
    return Cell(low if low == high else f"{low} … {high}", sort=fact.high - fact.low)


def count_cell(value: int) -> Cell:
    """A count."""
    return Cell(f"{value:,}", sort=float(value))


STANDING = Column("claim, confidence, status", note="or, where there is no value, the reason why")


def standing_cell(fact: Fact | None) -> Cell:
    """How a number stands: claim and confidence, and the status unless it is `ok`; else the reason."""
    if fact is None:
        return Cell("–")
    if sort_key(fact) is None:
        return Cell(element("span", fact.reason or "–", class_="rg-reason"))
    parts: list[object] = [claim(fact.claim), f"{fact.confidence:.2f}"]
    if fact.status is not Status.OK:
        parts.append(status(fact.status))
    return Cell(join(parts, " "), sort=fact.confidence)


ProbeUrl = Callable[[str], str]
"""Probe id -> address of its entry, or empty."""


def finding(
    item: Finding,
    probe_url: ProbeUrl | None = None,
    method: Iterable[Html] = (),
    identity: str = "",
    *,
    counted: str = "",
    brief: bool = False,
) -> Html:
    """A finding as it is shown everywhere: sentence, then claim, confidence, status, then evidence.

    Args:
        item: the finding.
        probe_url: gives the address of a probe; without it probes are not named.
        method: links to the methods behind it.
        identity: makes the block an anchor.
        counted: where is told how often findings of its confidence are right.
        brief: leave out what the page around it shows anyway: points and metrics.
    """
    parts = [element("p", item.sentence, class_="rg-sentence")]
    marks: list[object] = [claim(item.claim, explained=True), confidence(item.confidence, counted)]
    if item.status is not Status.OK:
        marks.append(status(item.status))
    if probe_url is not None and item.probes:
        probes = join((anchor(probe, probe_url(probe)) for probe in item.probes[:3]), ", ")
        marks.append(element("span", join(("from ", probes, *([" …"] if len(item.probes) > 3 else [])))))
    marks.extend(method)
    parts.append(element("p", join(marks, " "), class_="rg-marks", data_search_exclude=True))
    unsaid = [text for text in item.contradictions if text not in item.sentence]
    if unsaid:
        listed = join(element("li", text) for text in unsaid)
        parts.append(
            element("div", join(("Contradiction:", element("ul", listed))), class_="rg-contradiction")
        )
    parts.append(evidence(item, brief=brief))
    kind = "rg-finding" + (" rg-contradicted" if item.contradictions else "")
    return element("div", join(parts), class_=kind, id=identity or None)


def stated(items: Iterable[Finding], most: int | None = None) -> Html:
    """Findings in short: sentence, claim and confidence, one line each; those beyond `most` are folded."""
    lines = [
        element(
            "li", join((element("span", item.sentence), claim(item.claim), confidence(item.confidence)), " ")
        )
        for item in items
    ]
    if not lines:
        return Html("")
    rest = lines[most:] if most is not None else []
    shown = element("ul", join(lines[: len(lines) - len(rest)]), class_="rg-stated")
    if not rest:
        return shown
    more = element("ul", join(rest), class_="rg-stated")
    one = "1 further finding of this kind"
    return join((shown, fold(one if len(rest) == 1 else f"{len(rest)} further findings of this kind", more)))


def evidence(item: Finding, *, brief: bool = False) -> Html:
    """What a finding rests on, folded away; alternatives that stand are never folded."""
    before = Html("")
    if item.alternatives:
        listed = join(item.alternatives, "; ")
        before = element("p", join((element("b", "Not excluded:"), listed), " "), class_="rg-alternatives")
    rows: list[tuple[object, object]] = []
    if item.excluded:
        rows.append(("excluded", join(element("div", text) for text in item.excluded)))
    rows.extend(
        (check.channel, join((element("b", check.outcome), check.explanation), ": "))
        for check in item.checks
        if check.outcome != ABSENT
    )
    silent = [
        f"{check.channel} ({check.explanation.rstrip('.')})"
        for check in item.checks
        if check.outcome == ABSENT
    ]
    if silent:
        rows.append((ABSENT, join(silent, "; ")))
    if item.confidence_inputs:
        inputs = ", ".join(
            f"{name.replace('_', ' ')} {significant(value, 3)}"
            for name, value in sorted(item.confidence_inputs.items())
        )
        rows.append(("confidence from", inputs))
    if item.points and not brief:
        shown = join((code(point) for point in item.points[:6]), ", ")
        rows.append((f"{len(item.points)} points", join((shown, " …" if len(item.points) > 6 else ""))))
    if not brief and item.metrics:
        rows.append(("metrics", join((code(metric) for metric in item.metrics[:8]), ", ")))
    return join((before, fold("Evidence", facts(rows))))


TALL = 2.4
"""Height over width from which a figure fits no sheet of paper at a size that can be read."""


def figure(
    identity: str,
    light: str,
    dark: str,
    size: tuple[int, int],
    alternative: str,
    caption: object,
) -> Html:
    """A drawing in both palettes with its caption; `alternative` states what it shows."""
    images = join(
        void(
            "img",
            src=f"{source}#only-{palette}",
            alt=alternative,
            width=size[0],
            height=size[1],
            loading="lazy",
        )
        for source, palette in ((light, "light"), (dark, "dark"))
    )
    scroll = element(
        "div", images, class_="rg-scroll", role="region", tabindex=0, aria_label=f"Figure: {alternative[:80]}"
    )
    kind = "rg-figure" + (" rg-tall" if size[1] > TALL * size[0] else "")
    return element("figure", join((scroll, element("figcaption", caption))), id=identity, class_=kind)
