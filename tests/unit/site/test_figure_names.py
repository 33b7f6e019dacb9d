"""Names in figures: none is cut where it could be told in fewer words, none lies on another."""

from __future__ import annotations

import math

import pytest

from reportgen.site import blocks, pictures
from reportgen.site.figures import curves, interference, roofline
from reportgen.site.figures.roofline_record import Compute, Memory
from reportgen.site.render import ASSETS
from reportgen.suite.load import load_suite
from reportgen.units import format_bytes


def test_operations_keep_different_names_in_a_figure() -> None:
    """Two shapes of a matrix product that the figure cuts to the same words could not be told apart."""
    for table in load_suite().tables.values():
        titles = {pictures.common_title(operation.title) for operation in table.values()}
        assert len({pictures.brief(title) for title in titles}) == len(titles)


def panel(sizes: list[int], rounds: list[int]) -> curves.Panel:
    return curves.Panel(
        "t", "a", "u", tuple(format_bytes(size) for size in sizes), (), rounds=tuple(map(sizes.index, rounds))
    )


def test_sizes_are_named_at_powers_of_two_where_these_are_far_enough_apart() -> None:
    fine = [int(2 ** (13 + step / 4)) for step in range(60)]
    rounds = [2**power for power in range(13, 28)]
    places = curves.named_places(panel(fine, rounds))
    assert len(places) <= curves.MOST_LONG
    assert {fine[place] for place in places} <= set(rounds)


def test_on_an_even_axis_powers_of_two_would_crowd_at_its_start() -> None:
    even = [16 * step for step in range(128)]
    places = curves.named_places(panel(even, [16, 32, 64, 128, 256, 512, 1024]))
    assert places == list(range(0, 128, 32))


def test_roofs_of_one_height_share_a_name() -> None:
    roofs = tuple(
        Compute(name, rate)
        for name, rate in (("fp64", 33e12), ("fp16", 134e12), ("bf16", 133.8e12), ("fp32", 67e12))
    )
    assert [[roof.precision for roof in some] for some in roofline.heights(roofs)] == [
        ["fp16", "bf16"], ["fp32"], ["fp64"],
    ]  # fmt: skip


def test_sloping_roofs_without_room_for_a_text_between_them_share_one() -> None:
    roofs = [Memory(level, "read", rate) for level, rate in (("l1", 3e11), ("l2", 1.2e11), ("l3", 1e11))]
    shared = roofline.sharing(roofs, [80.0, 40.0, 31.0], 15.0)
    assert [[roof.level for roof in some] for some in shared] == [["l1"], ["l2", "l3"]]


def test_between_settings_round_numbers_are_named() -> None:
    ticks = list(curves.round_ticks([20.0, 40.0, 80.0, 160.0]))
    assert [name for _, name in ticks] == ["20", "50", "100"]
    assert [place for place, _ in ticks] == pytest.approx(
        [0, 1 + math.log2(50 / 40), 2 + math.log2(100 / 80)]
    )


def test_the_names_of_the_last_columns_of_a_matrix_have_room() -> None:
    short = interference._margins([f"{number} add" for number in range(15)])
    long = interference._margins([f"{number} convert fp32 int32" for number in range(15)])
    assert long.right > short.right
    assert long.top > short.top


def test_a_figure_higher_than_paper_is_marked_so() -> None:
    """The style sheet leaves it out of print: the table under it has the same numbers."""
    short = blocks.figure("figure-x", "l.svg", "d.svg", (640, 1000), "words", "caption")
    tall = blocks.figure("figure-x", "l.svg", "d.svg", (640, 2000), "words", "caption")
    assert "rg-tall" not in short
    assert 'class="rg-figure rg-tall"' in tall
    assert "figure.rg-tall { display: none; }" in (ASSETS / "report.css").read_text(encoding="utf-8")
