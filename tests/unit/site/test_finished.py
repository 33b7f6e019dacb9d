"""What a server keeps between two builds, and what makes it make a page anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reportgen.site.conversions import Conversions, Converted, linked
from reportgen.site.finished import Finished, Linked, stamps


def test_a_conversion_is_recalled_for_the_same_text_and_settings_only() -> None:
    kept = Conversions()
    made = Converted("<h1>a</h1>", (), None, frozenset({"a"}))
    kept.keep("a.md", ("settings", "# a"), made)
    assert kept.recall("a.md", ("settings", "# a")) is made
    assert kept.recall("a.md", ("settings", "# b")) is None
    assert kept.recall("a.md", ("others", "# a")) is None
    assert kept.recall("b.md", ("settings", "# a")) is None


@pytest.mark.parametrize(
    "text",
    [
        "see [it](../b.md)",
        "see [it](../b.md#part)",
        "see [it](<../b.md> 'title')",
        "see [it][b]\n\n[b]: ../b.md",
        'see <a href="../b.md">it</a>',
        "![picture](../b.md)",
        "see [it](../x/../b.md), and [that](missing.md)",
    ],
)
def test_what_a_page_leads_to_is_seen_in_every_spelling(text: str) -> None:
    assert linked("folder/a.md", text, {"b.md", "folder/c.md"}) == {"b.md"}


def test_a_page_that_leads_nowhere_here_is_linked_to_nothing() -> None:
    text = "[far](https://elsewhere.example/b.md) [own](#part) b.md"
    assert linked("a.md", text, {"b.md", "a.md"}) == frozenset()


def test_a_page_is_recalled_for_the_same_parts_and_forgotten_with_its_source() -> None:
    kept = Finished()
    kept.keep("a.md", ("nav", "content"), "<html>")
    assert kept.recall("a.md", ("nav", "content")) == "<html>"
    assert kept.recall("a.md", ("other nav", "content")) is None
    kept.forget_others({"b.md"})
    assert kept.recall("a.md", ("nav", "content")) is None


def entry(location: str, text: str = "") -> dict[str, str]:
    return {"location": location, "title": location, "text": text}


def test_the_search_gets_the_entries_of_recalled_pages_in_the_order_of_the_pages(tmp_path: Path) -> None:
    index = tmp_path / "search_index.json"
    first = [entry(""), entry("#part", "µ"), entry("a/"), entry("a/#x"), entry("b/")]
    index.write_text(json.dumps({"config": {}, "docs": first}, separators=(",", ":")))
    whole = index.read_bytes()
    kept = Finished()
    kept.complete_search(index, ["", "a/", "b/"], set())
    assert index.read_bytes() == whole

    index.write_text(json.dumps({"config": {}, "docs": [entry("a/", "new")]}))
    kept.complete_search(index, ["", "a/", "b/"], {"", "b/"})
    assert json.loads(index.read_bytes())["docs"] == [*first[:2], entry("a/", "new"), first[4]]

    index.write_text(json.dumps({"config": {}, "docs": []}))
    kept.complete_search(index, ["", "a/"], {"", "a/"})
    assert json.loads(index.read_bytes())["docs"] == [*first[:2], entry("a/", "new")]


def test_without_a_search_there_is_nothing_to_complete(tmp_path: Path) -> None:
    Finished().complete_search(tmp_path / "none.json", ["a/"], {"a/"})
    assert list(tmp_path.iterdir()) == []


def test_a_linked_folder_gives_the_bytes_of_its_sources_and_replaces_nothing(
    tmp_path: Path,
) -> None:
    sources = {name: tmp_path / f"source-{name}" for name in ("a", "b")}
    for name, source in sources.items():
        source.write_text(name)
    linked = Linked(tmp_path / "store")
    target = tmp_path / "site" / "download"
    linked.link(sources, target)
    assert {path.name: path.read_text() for path in target.iterdir()} == {"a": "a", "b": "b"}
    sources["a"].write_text("new")
    assert (target / "a").read_text() == "new"
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine").write_text("stays")
    linked.link(sources, other)
    assert [path.name for path in other.iterdir()] == ["mine"]


def test_folders_of_links_are_made_once_and_removed_when_nothing_needs_them(tmp_path: Path) -> None:
    source, store = tmp_path / "source", tmp_path / "store"
    source.write_text("kept")
    linked = Linked(store)
    linked.link({"a": source}, tmp_path / "first")
    linked.forget_others()
    (made,) = store.iterdir()
    before = made.stat().st_mtime_ns
    again = Linked(store)
    again.link({"a": source}, tmp_path / "second")
    again.forget_others()
    assert [made, before] == [*store.iterdir(), made.stat().st_mtime_ns]
    again.forget_others()
    assert list(store.iterdir()) == []
    assert source.read_text() == "kept"


def test_stamps_change_with_a_template_and_pass_pictures_by(tmp_path: Path) -> None:
    (tmp_path / "partials").mkdir()
    (tmp_path / ".icons").mkdir()
    (tmp_path / ".icons" / "a.html").write_text("a")
    template = tmp_path / "partials" / "nav.html"
    template.write_text("a")
    before = stamps([str(tmp_path)])
    assert [path for path, _, _ in before] == [str(template)]
    template.write_text("ab")
    assert stamps([str(tmp_path)]) != before
