"""Tables that the eye, the keyboard, the screen reader and the script can use."""

from __future__ import annotations

from html.parser import HTMLParser

from reportgen.site.tables import Cell, Column, Row, table

COLUMNS = (Column("operation"), Column("cycles", number=True, note="slope"))
ROWS = (
    Row((Cell("add"), Cell("1", sort=1.0)), id="latency.add"),
    Row((Cell("<div>"), Cell("–", note="no samples")), kind="rg-absent"),
)


def made(**options: bool) -> str:
    return str(table("latency", "Latency.", COLUMNS, ROWS, **options))


def test_heads_have_a_scope_and_numbers_a_key() -> None:
    text = made()
    assert '<th scope="col" class="number" title="slope">cycles</th>' in text
    assert '<tr id="latency.add"><th scope="row">add</th><td class="number" data-sort="1">1</td></tr>' in text
    assert 'title="no samples"' in text


def test_the_wrapper_can_be_scrolled_by_keyboard_and_has_a_name() -> None:
    text = made()
    assert 'role="region" tabindex="0" aria-labelledby="caption-latency"' in text
    assert '<caption id="caption-latency">Latency.</caption>' in text


def test_data_stays_out_of_the_search_index_unless_asked_in() -> None:
    assert "data-search-exclude" in made()
    assert "data-search-exclude" not in made(searchable=True)


def test_classes_say_what_the_script_may_do() -> None:
    assert 'class="rg sortable"' in made()
    assert 'class="rg sortable filterable"' in made(filtered=True)
    assert 'class="rg"' in made(sortable=False)


def test_the_html_is_well_formed_and_one_block() -> None:
    text = made(filtered=True)
    assert "\n" not in text
    stack: list[str] = []

    class Balanced(HTMLParser):
        def handle_starttag(self, tag: str, attrs: object) -> None:
            stack.append(tag)

        def handle_endtag(self, tag: str) -> None:
            assert stack.pop() == tag

    Balanced().feed(text)
    assert stack == []
    assert "&lt;div&gt;" in text
