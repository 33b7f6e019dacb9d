"""Bibliography entries, read by small readers of their grammars."""

from __future__ import annotations

import re

import pytest
import yaml

from reportgen.model.exports import bibtex, cff
from tests.unit.findings.records import changed
from tests.unit.model.exports.models import cpu, target


def fields(content: bytes) -> tuple[str, dict[str, str]]:
    """Key and fields of the only entry of a BibTeX file; braces must balance."""
    text = content.decode()
    match = re.fullmatch(r"@misc\{([\w-]+),\n((?:  \w+ *= \{.*\},\n)+)\}\n", text)
    assert match is not None, text
    found = dict(re.findall(r"^  (\w+) *= \{(.*)\},$", match.group(2), re.MULTILINE))
    for value in (text for name, text in found.items() if name != "url"):
        plain = re.sub(r"\\[\\{}%&$#_]", "", value)
        assert plain.count("{") == plain.count("}")
        assert not re.search(r"(?<!\\)[%&$#_]", plain)
    return match.group(1), found


def test_an_entry_names_device_run_tool_and_day() -> None:
    key, found = fields(bibtex.encode(cpu()))
    assert key == "reportgen-written-core-20261101T000000Z-00000000"
    assert (found["year"], found["month"], found["author"]) == ("2026", "11", "{reportgen}")
    assert found["title"] == "Measured architecture report: Written core"
    assert "written-core" in found["note"]
    assert found["howpublished"].startswith("reportgen ")
    assert "url" not in found


def test_an_address_and_a_digest_are_kept() -> None:
    _, found = fields(bibtex.encode(cpu(), "https://reports.example/a_b/", "ab" * 32))
    assert found["url"] == "https://reports.example/a_b/"
    assert "ab" * 32 in found["note"]


def test_odd_names_do_not_break_an_entry() -> None:
    _, found = fields(bibtex.encode(changed(cpu(), name="A&B {50%} #1_x $")))
    assert found["title"].endswith(r"A\&B \{50\%\} \#1\_x \$")


@pytest.mark.parametrize("architecture", [cpu(), target(), changed(cpu(), name='Ä "quoted": # name')])
def test_a_citation_file_has_what_the_format_requires(architecture) -> None:
    found = yaml.safe_load(cff.encode(architecture))
    assert found["cff-version"] == "1.2.0"
    assert found["authors"] == [{"name": "reportgen"}]
    assert found["title"].endswith(architecture.name)
    assert found["version"] == architecture.run
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found["date-released"])
    assert (found["type"], found["license"]) == ("dataset", "CC-BY-4.0")
    assert all(isinstance(word, str) for word in found["keywords"])
    assert set(found) <= {
        "cff-version", "message", "type", "title", "abstract", "version", "date-released", "license", "url",
        "authors", "keywords",
    }  # fmt: skip


def test_what_was_only_built_is_not_called_measured() -> None:
    assert fields(bibtex.encode(target()))[1]["title"].startswith("Toolchain reference")
    assert "Nothing here was measured" in yaml.safe_load(cff.encode(target()))["abstract"]
