"""What a definition says for one instruction set, and where it is asked at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.errors import ProbeDefinitionError
from reportgen.suite.definition import Definition
from reportgen.suite.isa import asked, localised, table_of
from reportgen.suite.load import load_suite

GENERAL = """
question = "How many?"
hypothesis = "Many."
variable = "count"
template = "chain"
analysis = "none"
metric = "m"
unit = "count"

[settings]
count = [1, 2, 3]

[quick]
count = [1]
"""
TABLE = 'add = { title = "add", group = "integer", registers = "r64", form = "add" }\n'


def definition(**changed: object) -> Definition:
    return Definition(
        **{  # type: ignore[arg-type]
            "question": "q", "hypothesis": "h", "variable": "n", "template": "chain", "analysis": "none",
            "metric": "m", "unit": "u", "settings": {"n": [1, 2]}, "quick": {"n": [1]},
        } | changed
    )  # fmt: skip


def suite(folder: Path, text: str) -> Path:
    for name, content in (("instructions/x86_64.toml", TABLE), ("memory_hierarchy/probe.toml", text)):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return folder


def test_every_compute_target_is_spelled_in_one_table() -> None:
    assert [table_of(isa) for isa in ("sm_75", "sm_120", "x86_64")] == ["cuda", "cuda", "x86_64"]


def test_where_a_definition_is_asked() -> None:
    assert asked(definition(), "sm_90")
    assert asked(definition(isas=("cuda",)), "sm_90")
    assert not asked(definition(isas=("cuda",)), "x86_64")
    assert not asked(definition(isas=("x86_64", "aarch64")), "sm_90")


def test_what_is_not_named_stays() -> None:
    general = definition(on={"cuda": {"settings": {"n": [4]}, "title": "there"}})
    there, here = localised(general, "sm_90"), localised(general, "x86_64")
    assert (there.title, there.settings, there.quick, there.question) == ("there", {"n": [4]}, {}, "q")
    assert here is general


def test_quick_settings_stay_with_the_settings_they_belong_to() -> None:
    both = {"settings": {"n": [4, 5]}, "quick": {"n": [5]}}
    assert localised(definition(on={"cuda": both}), "sm_90").quick == {"n": [5]}
    assert localised(definition(on={"cuda": {"title": "there"}}), "sm_90").quick == {"n": [1]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[on.cuda]\ntitel = 1\n", "memory_hierarchy/probe.toml: on.cuda: expected .*titel"),
        ('[on.cuda]\nanalysis = "guess"\n', "memory_hierarchy/probe.toml: analysis: expected one of"),
        ('[on.cuda]\npairs = [["add", "mul"]]\n', "expected operations of an instruction table, not 'mul'"),
    ],
)
def test_what_is_said_for_an_isa_is_read_as_strictly(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ProbeDefinitionError, match=message):
        load_suite(suite(tmp_path, GENERAL + text))
