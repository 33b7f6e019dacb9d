"""The published calibration: made by this code, from enough devices, and within the stated limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration import limits, page
from calibration.__main__ import FOLDER, PUBLISHED, PUBLISHED_GPUS
from calibration.counts import FORMAT, Calibration
from calibration.gpu_kinds import GpuKind
from calibration.kinds import Kind
from reportgen.site.figures import style

REMEDY = "; run `make calibration`"


def text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def numbers() -> Calibration:
    return page.read(text("calibration.json"))


def test_it_was_made_by_this_code(numbers: Calibration) -> None:
    assert numbers.format == FORMAT, REMEDY
    size = style.viewbox(text("calibration.light.svg"))
    assert text("calibration.md") == page.page(numbers, size), f"the page is not that of its numbers{REMEDY}"
    assert text("calibration.dark.svg") == style.recolour(text("calibration.light.svg")), REMEDY


def test_it_is_of_the_published_devices(numbers: Calibration) -> None:
    assert numbers.cores.seeds == PUBLISHED, REMEDY
    assert numbers.gpus.seeds == PUBLISHED_GPUS, REMEDY


def test_there_are_enough_of_each_kind(numbers: Calibration) -> None:
    for kind in (Kind.LATENCY, Kind.THROUGHPUT, Kind.RIDGE):
        assert numbers.cores.coverage(kind).share.count >= 2000
    assert sum(numbers.cores.coverage(kind).share.count for kind in (Kind.FITTED, Kind.BRACKET)) >= 2000
    assert {one.kind for one in numbers.cores.intervals} == {kind.name for kind in Kind}
    assert {one.kind for one in numbers.gpus.intervals} == {kind.name for kind in GpuKind}


def test_stated_limits_hold(numbers: Calibration) -> None:
    assert limits.broken(numbers) == []


def test_nothing_is_left_of_an_unfinished_run() -> None:
    assert not list(Path(FOLDER).glob("*.part"))
