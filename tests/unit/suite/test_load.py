"""A broken suite is one line that names file, key and what is expected."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from reportgen.errors import ProbeDefinitionError
from reportgen.suite.load import FAMILIES, load_suite
from reportgen.suite.location import probes_root

TABLE = """
add = { title = "add", group = "integer", registers = "r64", form = "add {d}, {a}" }
mul = { title = "mul", group = "integer", registers = "r64", form = "imul {d}, {a}", companions = ["add"] }
"""
DEFINITION = """
question = "How long does {title} take?"
hypothesis = "A whole number of cycles."
group = "integer"
template = "chain"
analysis = "slope"
metric = "latency.{operation}"
unit = "cycle"
variable = "length"

[settings]
length = [48, 96]

[quick]
length = [48]
"""


def suite(root: Path, definition: str = DEFINITION, table: str = TABLE) -> Path:
    for name, text in (("instructions/x86_64.toml", table), ("instruction_latency/integer.toml", definition)):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def message(root: Path) -> str:
    with pytest.raises(ProbeDefinitionError) as caught:
        load_suite(root)
    text = str(caught.value)
    assert "\n" not in text
    return text


def test_a_sound_suite_loads(tmp_path: Path) -> None:
    loaded = load_suite(suite(tmp_path))
    assert set(loaded.definitions) == {"instruction_latency/integer"}
    assert set(loaded.tables["x86_64"]) == {"add", "mul"}
    assert loaded.files["instruction_latency/integer"].name == "integer.toml"


# -- definitions --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "wrong", "key", "expected"),
    [
        ('unit = "cycle"\n', "", "unit", "this key to be present"),
        ('unit = "cycle"', 'unit = "cycle"\ncolour = "red"', "colour", "no such key"),
        ('unit = "cycle"', "unit = 3", "unit", "`str`, got `int`"),
        ('analysis = "slope"', 'analysis = "guess"', "analysis", "one of alias, bandwidth"),
        ('variable = "length"', 'variable = "size"', "variable", "the name of a key in settings"),
        ('group = "integer"', 'group = "intger"', "group", "the group of an operation, not 'intger'"),
        ('group = "integer"', 'operations = ["sub"]', "operations", "not 'sub'"),
        ('group = "integer"', 'classes = ["add", "sub"]', "classes", "not 'sub'"),
        ('group = "integer"', 'pairs = [["add", "sub"]]', "pairs", "not 'sub'"),
        ('group = "integer"', 'pairs = [["add"]]', "pairs[0]", "length 2"),
        ('unit = "cycle"', 'unit = "cycle"\nleft_out = [{ size = 1 }]', "left_out", "names in settings"),
        ('unit = "cycle"', 'unit = "cycle"\nleft_out = [{ }]', "left_out", "names in settings"),
        ("length = [48, 96]", "length = []", "settings.length", "a non-empty list"),
        ("length = [48, 96]", "length = true", "settings.length", "a non-empty list"),
        ("length = [48, 96]", 'length = "all"', "settings.length", '"1..all"'),
        ("length = [48, 96]", "length = [[48]]", "settings.length", "a non-empty list"),
        ("length = [48, 96]", 'length = [48]\noperation = ["sub"]', "settings.operation", "not 'sub'"),
        ("length = [48, 96]", 'length = { low = "4KiB" }', "settings.length.high", "this key to be present"),
        (
            "length = [48, 96]", 'length = { low = "4KiB", high = "8 furlongs" }', "settings.length",
            "sizes:",
        ),
        (
            "length = [48, 96]", 'length = { low = "4KiB", high = "1MiB", odd = 1 }', "settings.length.odd",
            "no such key",
        ),
        ("[quick]\nlength = [48]", "[quick]\nlength = []", "quick.length", "a non-empty list"),
        ("[settings]", "[settings", "file", "valid TOML"),
        ("[settings]", "[constants]\na = 1\n[constants]\n[settings]", "file", "valid TOML"),
        (
            "[quick]\nlength = [48]", "[on.aarch64]\nanalysis = 'guess'", "analysis", "one of alias",
        ),
        ("[quick]\nlength = [48]", "[on.aarch64]\ncolour = 'red'", "on.aarch64", "colour"),
    ],
)  # fmt: skip
def test_a_broken_definition(tmp_path: Path, right: str, wrong: str, key: str, expected: str) -> None:
    assert right in DEFINITION
    text = message(suite(tmp_path, DEFINITION.replace(right, wrong, 1)))
    assert text.startswith(f"probes/instruction_latency/integer.toml: {key}: expected ")
    assert expected in text


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    root = suite(tmp_path)
    (root / "instruction_latency" / "integer.toml").write_bytes(b"question = '\xff\xfe'")
    assert message(root).startswith("probes/instruction_latency/integer.toml: file: expected valid TOML")


# -- instruction tables ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("right", "wrong", "key", "expected"),
    [
        ('title = "add", ', "", "add.title", "this key to be present"),
        ('title = "add"', 'title = "add", flops = 1.0', "add.flops", "no such key"),
        ('title = "add"', 'title = "add", evex = "yes"', "add.evex", "`bool`, got `str`"),
        ('title = "add"', 'title = "add", values = "tow"', "add.values", "one of bits, divide"),
        (
            'registers = "r64", form = "add {d}, {a}"',
            'registers = "r64"',
            "add",
            "one of form, latency, throughput",
        ),
        ('registers = "r64"', 'registers = "r128"', "add.registers", "one of "),
        ('registers = "r64"', 'registers = "v"', "add.registers", "one of k, r64, tmm, xmm"),
        ("add {d}, {a}", "add {d}, {q}", "add.form", "not '{q}'"),
        ("add {d}, {a}", "add {d.w}, {a}", "add.form", "not '{d.w}'"),
        ("add {d}, {a}", "add {d}, {a", "add.form", "literal braces doubled"),
        ('form = "add {d}, {a}"', 'latency = "add {d}, {0}"', "add.latency", "not '{0}'"),
        ('companions = ["add"]', 'companions = ["sub"]', "mul.companions", "not 'sub'"),
        ("add = {", "add = 3 #", "add", "`object`, got `int`"),
    ],
)
def test_a_broken_table(tmp_path: Path, right: str, wrong: str, key: str, expected: str) -> None:
    assert right in TABLE
    text = message(suite(tmp_path, table=TABLE.replace(right, wrong, 1)))
    assert text.startswith(f"probes/instructions/x86_64.toml: {key}: expected ")
    assert expected in text


def test_forms_of_a_gpu_are_its_own_affair(tmp_path: Path) -> None:
    root = suite(tmp_path)
    row = 'wide = { title = "w", group = "integer", registers = "r64", form = "mov.b64 {low, high}, {d};" }\n'
    (root / "instructions" / "cuda.toml").write_text(row)
    assert "wide" in load_suite(root).tables["cuda"]


# -- the suite as a whole ---------------------------------------------------------------------------------


def test_no_such_folder(tmp_path: Path) -> None:
    assert message(tmp_path / "nowhere").startswith("no probes at ")


def test_the_digest_follows_every_file(tmp_path: Path) -> None:
    root = suite(tmp_path)
    first = load_suite(root).digest
    assert load_suite(root).digest == first
    (root / "instruction_latency" / "notes.txt").write_text("not part of it")
    assert load_suite(root).digest == first
    (root / "instruction_latency" / "chain.x86_64.s.j2").write_text("{# a template #}")
    second = load_suite(root).digest
    assert second != first
    moved = root / "instruction_latency" / "link.x86_64.s.j2"
    shutil.move(root / "instruction_latency" / "chain.x86_64.s.j2", moved)
    assert load_suite(root).digest not in (first, second)


def test_the_project_s_own_suite_is_sound() -> None:
    loaded = load_suite()
    assert loaded.root == probes_root()
    families = {name.partition("/")[0] for name in loaded.definitions}
    assert families == set(FAMILIES)
    folders = {path.name for path in loaded.root.iterdir() if path.is_dir()}
    assert folders == families | {"instructions", "frames"}
    assert len(loaded.tables["x86_64"]) >= 60
