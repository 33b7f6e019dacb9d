"""What no inference may say, and what it may."""

from __future__ import annotations

import pytest

from reportgen.findings.lint import BANS, offences, offences_in_html, visible_text


@pytest.mark.parametrize(
    ("text", "ban"),
    [
        ("ADD and MUL use the same unit.", "same unit"),
        ("ADD and MUL share a single\nport", "same unit"),
        ("both use the same vector pipeline", "same unit"),
        ("They need the same execution unit.", "same execution unit"),
        ("Multiplies are executed by port 1.", "executed by"),
        ("Shuffles run on port 5.", "runs on a port"),
        ("This proves that they compete.", "proves"),
        ("It is proven.", "proves"),
        ("The step is caused by a TLB.", "caused by"),
        ("The step is mostly due to a TLB.", "caused by"),
        ("slower because of the cache", "because of the"),
        ("It is Definitely slower.", "certainty"),
        ("38 TFLOPS", "spelling of FLOP/s"),
        ("2 GFLOPS/s", "spelling of FLOP/s"),
        ("2 FLOPs/s", "spelling of FLOP/s"),
    ],
)
def test_what_may_not_be_said(text: str, ban: str) -> None:
    assert ban in [offence.ban for offence in offences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Adding B reduced throughput in a way consistent with competition for a shared internal resource.",
        "No interference of ADD with MUL was detected.",
        "64 FLOP/cycle, 2 GFLOP/s, 12.8 FLOP/byte, 4.7 TOP/s",
        "alternatives not excluded: shared execution pipeline, issue port",
        "Use the same command again; it uses the same seed.",
    ],
)
def test_what_may_be_said(text: str) -> None:
    assert offences(text) == ()


def test_an_offence_shows_where_it_stands() -> None:
    text = "x" * 200 + " both use the same unit of it " + "y" * 200
    (one,) = offences(text)
    assert one.phrase == "use the same unit"
    assert one.context.startswith("x")
    assert one.context.endswith("y")
    assert len(one.context) < 160
    assert text[one.position :].startswith("use the same unit")
    assert one.instead


def test_offences_come_in_reading_order() -> None:
    found = offences("It proves much. They share the same port. 3 GFLOPS.")
    assert [offence.phrase for offence in found] == ["proves", "share the same port", "GFLOPS"]


PAGE = """<html><head><title>Report proves it</title><style>.proves{}</style>
<script>const proves = "use the same unit"</script></head><body>
<p>ADD and MUL <em>use the</em> same <b>unit</b>.</p>
<pre>use the same unit</pre> <p>Never say <code>use the same unit</code>.</p>
<svg><text>proves</text></svg>
<img alt="It is caused by noise" src="x.png"/>
<p>Both use</p><p>the same unit of time</p> &#70;LOPS</body></html>"""


def test_a_page_is_read_as_a_reader_sees_it() -> None:
    found = [(offence.ban, offence.phrase) for offence in offences_in_html(PAGE)]
    assert found == [
        ("proves", "proves"),
        ("same unit", "use the same unit"),
        ("caused by", "is caused by"),
        ("same unit", "use the same unit"),
        ("spelling of FLOP/s", "FLOPS"),
    ]


def test_code_scripts_and_drawings_are_quotations() -> None:
    assert offences_in_html("<pre>proves</pre><code>proves <b>proves</b></code><script>proves</script>") == ()
    assert "proves" not in visible_text("<style>proves</style><svg><title>proves</title></svg>")


def test_an_unclosed_element_does_not_hide_the_rest() -> None:
    assert offences_in_html("<p>It <br>proves <img src=x> nothing")[0].ban == "proves"


def test_every_ban_says_what_to_say_instead() -> None:
    assert all(ban.instead for ban in BANS)
