"""What comes from a run is text, never markup."""

from __future__ import annotations

from reportgen.site import templating
from reportgen.site.markup import Html, breakable, element, escape, fold, preformatted


def test_text_is_escaped_and_markup_is_not() -> None:
    assert escape("<b> & 'x'") == "&lt;b&gt; &amp; &#x27;x&#x27;"
    assert escape(Html("<b>")) == "<b>"
    assert element("p", "a < b", class_="x", data_search_exclude=True, title=None) == (
        '<p class="x" data-search-exclude>a &lt; b</p>'
    )


def test_a_listing_has_no_blank_line_that_would_end_the_block() -> None:
    block = preformatted("add rax, rbx\n\n\n<loop>\n")
    assert "\n\n" not in block
    assert "&lt;loop&gt;" in block


def test_templates_escape_text_and_keep_markup() -> None:
    made = templating.environment().from_string("{{ a }}{{ b }}").render(a="<i>", b=fold("s", "c"))
    assert made.startswith("&lt;i&gt;<details")


def test_a_long_name_may_break_after_each_word_and_stays_escaped() -> None:
    assert breakable("memory_hierarchy/on<chip") == "memory_<wbr>hierarchy/<wbr>on&lt;chip"
    assert breakable("memory.l3.capacity") == "memory.<wbr>l3.<wbr>capacity"
