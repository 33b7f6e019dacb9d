"""Folder markers in the nav."""

from __future__ import annotations

from reportgen.site import navigation
from reportgen.site.catalogue import Entry, Shelf


def shelf(device: str) -> Shelf:
    return Shelf(device, (Entry(device, "20260101T000000Z-00000000", None, "broken"),))


def test_a_marker_becomes_its_pages() -> None:
    nav = [{"Home": "index.md"}, {"Devices": "devices/"}, {"More": ["method/", {"Deep": "gone/"}]}]
    sections = {
        "devices/": navigation.devices((shelf("a"), shelf("b"))),
        "method/": ["method/slope.md"],
    }
    assert navigation.expand(nav, sections) == [
        {"Home": "index.md"},
        {"Devices": ["devices/index.md", {"a": "devices/a/index.md"}, {"b": "devices/b/index.md"}]},
        {"More": ["method/slope.md", {"Deep": []}]},
    ]


def test_many_devices_are_left_to_the_index() -> None:
    shelves = tuple(shelf(f"d{number}") for number in range(navigation.MOST_DEVICES + 1))
    assert navigation.devices(shelves) == ["devices/index.md"]


def test_folders_put_their_index_first() -> None:
    found = navigation.folders(["m/slope.md", "m/index.md", "m/clock.md", "top.md"])
    assert found == {"m/": ["m/index.md", "m/clock.md", "m/slope.md"]}


def test_pages_of_a_nav() -> None:
    nav = ["a.md", {"B": "b.md"}, {"C": ["c.md", {"D": "d.md"}]}]
    assert list(navigation.pages(nav)) == ["a.md", "b.md", "c.md", "d.md"]


def test_a_devices_newest_survey_has_a_place_of_its_own() -> None:
    surveyed = Shelf("a", shelf("a").entries, survey="20260101T000000Z-00000001")
    nav = navigation.devices((surveyed, shelf("b")))
    assert nav[-1] == {navigation.SURVEYS: [{"a": "devices/a/instructions/index.md"}]}
