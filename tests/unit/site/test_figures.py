"""Figures: the same bytes for the same record, light enough, legible in both palettes."""

from __future__ import annotations

import itertools
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text

from reportgen.site.figures import (
    bandwidth,
    cache,
    interference,
    latency,
    roofline,
    roofline_record,
    style,
    sustained,
    throughput,
    working_set,
)
from reportgen.site.figures import curves as curves_figure

KIB, MIB = 1024.0, 1024.0**2

SWEEP = working_set.WorkingSet(
    curves=(
        working_set.Curve("huge", (4 * KIB, 32 * KIB, 64 * KIB, MIB, 8 * MIB), (5, 5, 14, 14, 70)),
        working_set.Curve("4k", (4 * KIB, 32 * KIB, 64 * KIB, MIB, 8 * MIB), (5, 5, 14, 15, 95)),
    ),
    boundaries=(working_set.Boundary("l1", 48 * KIB, 50 * KIB), working_set.Boundary("l2", 2 * MIB)),
    plateaus=(working_set.Plateau("l1", 5), working_set.Plateau("l2", 14), working_set.Plateau("l3", 70)),
)
NAMES = tuple(f"operation_{number}" for number in range(14))
MATRIX = interference.HeatMap(
    NAMES,
    tuple(f"operation number {number}, 512 bit" for number in range(14)),
    tuple(
        interference.Pair(first, second, None if first == "operation_3" else 0.5, "?")
        for place, first in enumerate(NAMES)
        for second in NAMES[place:]
    ),
)
LATENCIES = latency.Latencies(
    tuple(
        latency.Operation(
            f"operation {n}",
            "float" if n > 40 else "integer",
            tuple(
                latency.Latency(label, 1 + n % 23, n % 23 + 0.99, n % 23 + 1.01)
                for label in ("scalar", "128 bit", "256 bit", "512 bit")
            ),
        )
        for n in range(80)
    )
)
SATURATION = throughput.Saturation(
    tuple(
        throughput.Panel(
            f"operation {number}",
            tuple(
                throughput.Series(label, (1, 2, 4, 8, 12, 16), (0.25, 0.5, 1, 2, 2, 2))
                for label in ("scalar", "128 bit", "256 bit", "512 bit")
            ),
        )
        for number in range(15)
    )
)
RATES = bandwidth.Bandwidth(
    tuple(
        bandwidth.Rate(level, kernel, 1e10 * factor, 0.99e10 * factor, 1.01e10 * factor, 1.8e10 * factor)
        for level, factor in (("l1", 40), ("l2", 12), ("l3", 3), ("dram", 1))
        for kernel in ("read", "write", "copy", "triad", "nt_write", "nt_copy")
    ),
    cores=2,
)
ROOFS = roofline_record.Roofline(
    (roofline_record.Memory("l1", "triad", 4e11), roofline_record.Memory("dram", "triad", 1.2e10)),
    (roofline_record.Compute("fp32", 2.2e11), roofline_record.Compute("fp64", 1.1e11)),
    (
        roofline_record.Ridge("dram", "fp32", 18.3, 18.0, 18.6),
        roofline_record.Ridge("l1", "fp64", 0.27),
    ),
    tuple(
        roofline_record.Kernel(
            f"{'ABCDEFGHIJ'[n // 5]}{n % 5 + 1}", 0.1 * 1.17**n, 5e9 * 1.07**n, 4e9 * 1.07**n, 6e9 * 1.07**n,
            "l1" if n % 2 else "", "ABCDEFGHIJ"[n // 5], f"kernel {n}",
        )
        for n in range(48)
    ),
    bound="fp32",
    nominal=(roofline_record.Nominal("fp32", 2.4e11, 0.92), roofline_record.Nominal("dram", 2e10, 0.6, True)),
)  # fmt: skip

ALL: list[tuple[str, Any, Callable[[Any], str]]] = [
    ("working_set", SWEEP, working_set.draw),
    ("interference", MATRIX, interference.draw),
    ("latency", LATENCIES, latency.draw),
    ("throughput", SATURATION, throughput.draw),
    ("bandwidth", RATES, bandwidth.draw),
    ("roofline", ROOFS, roofline.draw),
]
DRAWN: dict[str, str] = {}


def once(name: str, record: Any, draw: Callable[[Any], str]) -> str:
    """The drawing, made once for all tests."""
    if name not in DRAWN:
        DRAWN[name] = draw(record)
    return DRAWN[name]


BY_NAME = pytest.mark.parametrize(("name", "record", "draw"), ALL, ids=[name for name, _, _ in ALL])


@BY_NAME
def test_a_figure_is_small_deterministic_and_plain_text(
    name: str, record: Any, draw: Callable[[Any], str]
) -> None:
    svg = once(name, record, draw)
    assert draw(record) == svg
    assert len(svg.encode()) < style.LIMIT_BYTES, f"{name} has {len(svg.encode())} bytes"
    tree = ET.fromstring(svg)
    words = [text.text for text in tree.iter("{http://www.w3.org/2000/svg}text") if text.text]
    assert words, "text must stay text"
    assert "<metadata" not in svg
    assert "Matplotlib" not in svg
    assert not re.search(r"\$|\\math", "".join(words)), "tick labels are plain text"
    assert "http" not in svg.replace("http://www.w3.org/", ""), "nothing is fetched"


@BY_NAME
def test_the_dark_palette_changes_foreground_and_nothing_else(
    name: str, record: Any, draw: Callable[[Any], str]
) -> None:
    light = once(name, record, draw)
    dark = style.recolour(light)
    assert dark != light
    assert not any(colour in dark for colour in style.DARK)
    for stroke in style.LEVELS.values():
        assert light.count(stroke.colour) == dark.count(style.DARK.get(stroke.colour, stroke.colour))
    assert len(dark) == len(light)


def test_a_wide_matrix_has_columns_for_the_few_that_were_paired_with_many() -> None:
    names = ("first", *(f"other_{number}" for number in range(20)), "last")
    pairs = (
        *(interference.Pair("first", name, 0.0) for name in names[1:]),
        *(interference.Pair(name, "last", 0.0) for name in names[1:]),
        interference.Pair("other_3", "other_3", 1.0),
    )
    wide = interference.HeatMap(names, names, pairs)
    assert interference.columns(wide) == ("first", "last")
    assert interference.columns(MATRIX) == MATRIX.names


def test_levels_differ_by_colour_by_marker_and_by_dash() -> None:
    levels = [style.LEVELS[name] for name in ("l1", "l2", "l3", "dram")]
    for part in zip(*levels, strict=True):
        assert len(set(part)) == 4


def test_a_boundary_is_written_as_an_interval_and_a_bound_as_a_bound() -> None:
    svg = once("working_set", SWEEP, working_set.draw)
    assert "48 KiB – 50 KiB" in svg
    assert "at least 2 MiB" in svg


def test_words_of_a_boundary_stay_off_the_vertical_axis() -> None:
    axis = 0.65 * 72  # where the axis stands, points
    curve = working_set.Curve("4k", (32 * KIB, 48 * KIB, 64 * KIB, MIB, 4 * MIB), (5, 5, 14, 30, 60))
    bounds = (working_set.Boundary("l1", 48 * KIB, 64 * KIB), working_set.Boundary("l2", 512 * KIB, MIB))
    svg = working_set.draw(working_set.WorkingSet((curve,), bounds))
    lefts = re.findall(r"<text[^>]*translate\(([\d.]+) [\d.]+\)\"[^>]*>(?:L\d ends|\d+ KiB – )", svg)
    assert len(lefts) == 4
    assert min(map(float, lefts)) > axis


def short_sweeps() -> Iterator[tuple[str, Any, Callable[[Any], str]]]:
    """Records of few points, for every figure that has words beside its points."""
    for sizes in ((16, 64, 256), (4, 64, 1024), (16, 64, 256, 4096), (32, 128, 1024, 2**14, 2**18)):
        places = tuple(size * KIB for size in sizes)
        curves = tuple(
            working_set.Curve(pages, places, tuple(5.0 * 3**n + more for n in range(len(places))))
            for pages, more in (("huge", 0), ("4k", 2))
        )
        pairs = tuple(itertools.pairwise(places))
        ends = [working_set.Boundary(f"l{n + 1}", low, high) for n, (low, high) in enumerate(pairs[:3])]
        levels = [working_set.Plateau(f"l{n + 1}", 5.0 * 3**n) for n in range(len(ends))]
        for upto in range(len(ends) + 1):
            known = (*ends[:upto], working_set.Boundary(f"l{upto + 1}", places[upto]))
            for bounds in (known, known[:upto]):
                record = working_set.WorkingSet(curves, bounds, tuple(levels[: len(bounds)]))
                yield f"working set, {sizes}, {bounds}", record, working_set.draw
    for number in (1, 2, 4):
        few = throughput.Saturation(SATURATION.panels[:number], "a multiprocessor")
        yield f"throughput, {number}", few, throughput.draw
    for number in (1, 3):
        rates = tuple(
            bandwidth.Rate(level, "read", 1e10, 9e9, 1.1e10, 2e10) for level in ("l1", "dram")[:number]
        )
        yield f"bandwidth, {number}", bandwidth.Bandwidth(rates, 64), bandwidth.draw
        settings = tuple(f"{8 << n} KiB" for n in range(number + 1))
        series = [
            curves_figure.Series(
                f"fp32_fma, {n} chains", tuple(range(number + 1)), (1.0, 2.0, 3.0, 4.0)[: number + 1]
            )
            for n in range(6)
        ]
        panel = curves_figure.Panel("Warps", "shared memory", "cycles", settings, tuple(series), ((0, 1),))
        yield f"curves, {number}", curves_figure.Curves((panel,) * number), curves_figure.draw
        for first, last in ((100.0, 100.0), (100.0, 98.0), (98.0, 100.0)):
            course = sustained.Course("FP32", (0, 1), (0.0, 0.2), (first, last), first, last, 0.1, "GFLOP/s")
            yield f"sustained, {first}, {last}", sustained.Courses((course,) * number), sustained.draw


def test_words_of_short_sweeps_lie_neither_on_each_other_nor_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong: list[str] = []
    drawn = style.to_svg

    def checked(figure: Figure) -> str:
        svg = drawn(figure)
        wrong.extend(f"{name}: {fault}" for fault in faults(figure))
        return svg

    monkeypatch.setattr(style, "to_svg", checked)
    for name, record, draw in short_sweeps():  # noqa: B007  # `checked` says it
        draw(record)
    assert wrong == []


def faults(figure: Figure) -> Iterator[str]:
    """Pairs of words that overlap by more than a pixel, and words that the picture cuts off."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # legends are laid out anew at the resolution of this canvas
    renderer = canvas.get_renderer()
    ticks = {
        id(text)
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks())
        for text in (tick.label1, tick.label2)
        if not min(axis.get_view_interval()) <= tick.get_loc() <= max(axis.get_view_interval())
    }
    found = [
        (text.get_text().replace("\n", " "), text.get_window_extent(renderer))
        for text in figure.findobj(Text)
        if text.get_visible() and text.get_text().strip() and id(text) not in ticks
        and (text.axes is None or text.axes.get_visible())
    ]  # fmt: skip
    for (one, box), (two, other) in itertools.combinations(found, 2):
        if (
            min(box.x1, other.x1) - max(box.x0, other.x0) > 1
            and min(box.y1, other.y1) - max(box.y0, other.y0) > 1
        ):
            yield f"'{one}' lies on '{two}'"
    for one, box in found:
        if box.x0 < -1 or box.y0 < -1 or box.x1 > figure.bbox.x1 + 1 or box.y1 > figure.bbox.y1 + 1:
            yield f"'{one}' is cut off"


def test_the_cache_draws_once_and_again_only_for_another_record(tmp_path: Path) -> None:
    calls = []

    def draw(record: roofline_record.Roofline) -> str:
        calls.append(record)
        return f'<svg viewBox="0 0 480 300"><!-- {len(record.memory)} {style.INK} --></svg>'

    first = cache.drawn(tmp_path, "roofline", ROOFS, draw)
    again = cache.drawn(tmp_path, "roofline", ROOFS, draw)
    assert first == again
    assert (first.width, first.height) == (640, 400)
    assert style.DARK[style.INK] in first.dark
    cache.drawn(tmp_path, "roofline", roofline_record.Roofline(ROOFS.memory[:1], ROOFS.compute), draw)
    assert len(calls) == 2
