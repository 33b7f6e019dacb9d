"""What no inference may say, and what it may."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.findings.lint import BANS, Ban, offences, offences_in_html, visible_text


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


@given(st.data())
@pytest.mark.parametrize("ban", [ban for ban in BANS if ban.needs], ids=lambda ban: ban.name)
def test_what_a_phrase_needs_is_in_all_that_may_be_said_of_it(ban: Ban, data: st.DataObject) -> None:
    phrase = data.draw(st.from_regex(ban.pattern, alphabet=st.characters(max_codepoint=126)))
    assert ban.may_be_in(phrase, phrase.lower())
    assert ban.name in [offence.ban for offence in offences(phrase)]


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


@pytest.mark.parametrize(
    ("text", "ban"),
    [
        ("2 Gflop/s", "spelling of FLOP/s"),
        ("2 GFlop/s", "spelling of FLOP/s"),
        ("so many flops", "spelling of FLOP/s"),
        ("4 TOPS", "spelling of OP/s"),
        ("4 TOPs/s", "spelling of OP/s"),
        ("4 Gops", "spelling of OP/s"),
        ("0.25 FLOP/B", "spelling of FLOP/byte"),
        ("0.25 FLOP/Byte", "spelling of FLOP/byte"),
        ("2 OP/B", "spelling of FLOP/byte"),
        ("15 GB/sec", "second written out"),
        ("15 GB/second", "second written out"),
        ("15 MBps", "second written out"),
        ("2 GFLOP/second", "second written out"),
        ("14 GiB/s", "binary prefix of a rate"),
        ("14 MiB per second", "binary prefix of a rate"),
        ("2 GiFLOP", "binary prefix of work"),
        ("100 Gb/s", "bits"),
        ("100 Mbps", "bits"),
        ("48 KB", "large K"),
        ("2 KB/s", "large K"),
        ("a capacity of 48 kB", "decimal prefix of a capacity"),
        ("its working set is 2 MB", "decimal prefix of a capacity"),
        ("a 32 kB cache", "decimal prefix of a capacity"),
        ("2 MB L2", "decimal prefix of a capacity"),
    ],
)
def test_a_unit_has_one_spelling(text: str, ban: str) -> None:
    assert [offence.ban for offence in offences(text)] == [ban]


@pytest.mark.parametrize(
    "text",
    [
        "W 2 GFLOP, Q 1.2 GB (compulsory), 1.67 FLOP/byte, 15.4 GB/s, 400 GOP/s, 0.5 OP/byte",
        "48 KiB of L1, 2 MiB, 16 GiB; 98 … 99 KiB; 12.6 MB a call move 3 MB from L2",
        "metric peak.fp32, FLOP/second; bandwidth.l1.read, byte/second; 64 byte/cycle; 2.6 GHz",
        "NVIDIA H100 80GB HBM3; 100 bytes; 12 kB moved; NOPs; the capacity of L2: it moved 3 MB",
    ],
)
def test_right_units_pass(text: str) -> None:
    assert offences(text) == ()


def test_what_others_printed_keeps_its_units_and_claims_nothing() -> None:
    page = "<td>2.4 TB/s</td><td><q>2374 GiB/s, which proves it</q></td><td>3 GiB/s</td>"
    assert [one.phrase for one in offences_in_html(page)] == ["proves", "GiB/s"]


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
