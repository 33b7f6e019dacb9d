"""OSACA and LLVM: the files say what the model says, and the real programs take them, if installed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from reportgen.model.architecture import Architecture
from reportgen.model.exports import llvm, osaca
from reportgen.model.exports.scheduled import schedule
from reportgen.model.resources import Placed, Use
from tests.unit.findings.records import changed
from tests.unit.model.cost.machine import core, fact, resources
from tests.unit.model.exports.models import cpu, target

MODEL = cpu()
LOOP = """# OSACA-BEGIN
.L1:
vmovups (%rdi,%rax), %ymm1
vfmadd231ps %ymm3, %ymm1, %ymm0
vaddps %ymm2, %ymm1, %ymm4
vmovups %ymm4, (%rsi,%rax)
addq %rcx, %rax
# OSACA-END
"""
BESIDE = str(Path(sys.executable).parent)
OSACA = shutil.which("osaca") or shutil.which("osaca", path=BESIDE)
TBLGEN = shutil.which("llvm-tblgen")
INCLUDE = Path(TBLGEN).resolve().parents[1] / "include" if TBLGEN else Path()


def machine(architecture: Architecture = MODEL) -> dict[str, object]:
    return yaml.safe_load(osaca.encode(architecture))


def forms(architecture: Architecture = MODEL) -> dict[tuple[str, ...], dict[str, object]]:
    """(mnemonic, operand kinds ...) -> its entry."""
    found: dict[tuple[str, ...], dict[str, object]] = {}
    for one in machine(architecture)["instruction_forms"]:
        kinds = (operand.get("name", operand["class"]) for operand in one["operands"])
        found[(one["name"], *kinds)] = one
    return found


# what is known


def test_operations_have_the_resources_of_the_model_or_of_another_width() -> None:
    known = {one.operation: one for one in schedule(MODEL).known}
    assert (known["fp32_fma_256"].ports, known["fp32_fma_256"].cycles, known["fp32_fma_256"].how) == (
        ("r5", "r6"), 1.0, "paired",
    )  # fmt: skip
    assert (known["fp32_fma_512"].ports, known["fp32_fma_512"].cycles, known["fp32_fma_512"].how) == (
        ("r5", "r6"), 2.0, "as at another width",
    )  # fmt: skip
    assert known["vector_int32_add_256"].ports == ("r5", "r6", "r9", "r10")  # by number, not by letters


def test_a_rate_that_the_resources_do_not_allow_is_told() -> None:
    """Stores to one line alone may go faster than the stores of a mix."""
    known = {one.operation: one for one in schedule(MODEL).known}
    assert known["fp32_fma_256"].origin == "resources paired"
    rows = {one.operation: one for one in MODEL.instructions}
    twice = changed(rows["store"], issue_interval=changed(rows["fp32_fma_256"].issue_interval, value=0.5))
    (store,) = schedule(core(instructions=(twice,))).known
    assert store.origin == "resources paired; in mixes one each 1 cycles, alone one each 0.5"
    assert store.origin in osaca.encode(core(instructions=(twice,))).decode()


def test_what_was_paired_with_nothing_is_left_out_with_the_reason() -> None:
    left = dict(schedule(MODEL).left_out)
    assert "paired with no other" in left["fp32_div_nontrivial_256"]
    assert "fp32_add_256" not in left
    assert {one.operation for one in schedule(MODEL).known} | set(left) == {
        one.operation for one in MODEL.instructions
    }


# OSACA


def test_the_machine_model_has_every_key_that_osaca_reads() -> None:
    found = machine()
    assert found["isa"] == "x86"
    assert found["ports"] == ["r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10"]
    assert found["load_latency"] == {"gpr": 4, "mm": None, "xmm": None, "ymm": None, "zmm": None, "k": None}
    assert found["load_throughput_default"] == [[1, ["r2", "r7", "r8"]]]
    assert found["ROB_size"] is None


def test_forms_stand_in_att_order_with_latency_rate_and_ports() -> None:
    fma = forms()["vfmadd231ps", "ymm", "ymm", "ymm"]
    assert (fma["latency"], fma["throughput"], fma["port_pressure"]) == (4, 0.5, [[1, ["r5", "r6"]]])
    assert forms()["shl", "immediate", "gpr"]["port_pressure"] == [[1, ["r1", "r3"]]]
    load = forms()["vmovups", "memory", "ymm"]
    assert (load["latency"], load["throughput"]) == (None, 0.5)
    assert ("vmovups", "ymm", "memory") in forms()


def test_a_form_that_was_not_measured_is_absent() -> None:
    names = {key[0] for key in forms()}
    assert not names & {"vdivps", "vsubps", "jne", "lea"}
    text = osaca.encode(MODEL).decode()
    assert "#   fp32_div_nontrivial_256: no resources" in text


def test_the_operation_that_does_the_work_gives_the_form() -> None:
    """A divide of one by one and a real one are the same instruction."""
    rows = {one.operation: one for one in core().instructions}
    real = rows["fp32_fma_256"]
    name = "fp32_fma_nontrivial_256"
    twin = changed(real, operation=name)
    placed = (Placed(name, (Use(name, ("r6",), 9.0),)),)
    for order in ((real, twin), (twin, real)):
        model = core(instructions=order, resources=changed(resources(), placed=placed))
        assert [one["port_pressure"] for one in forms(model).values()] == [[[9, ["r6"]]]]
        assert f"#   fp32_fma_256: the form is that of {name}" in osaca.encode(model).decode()


@pytest.mark.skipif(OSACA is None, reason="osaca is not installed (a program of its own: pip install osaca)")
def test_osaca_analyses_a_loop_with_it(tmp_path: Path) -> None:
    assert OSACA is not None
    folder = tmp_path / ".osaca" / "data"
    folder.mkdir(parents=True)
    (folder / "zen4.yml").write_bytes(osaca.encode(MODEL))
    (tmp_path / "loop.s").write_text(LOOP)
    done = subprocess.run(
        [OSACA, "--arch", "ZEN4", "--syntax", "ATT", str(tmp_path / "loop.s")],
        capture_output=True, text=True, timeout=120, check=True, env=os.environ | {"HOME": str(tmp_path)},
    )  # fmt: skip
    assert "performance data for" not in done.stdout  # no form of the loop is unknown
    fma = next(line for line in done.stdout.splitlines() if "||" in line and "vfmadd231ps" in line)
    cells = [cell.strip() for cell in fma.split("||")[0].split("|")[1:]]
    assert cells == ["", "", "", "", "0.50", "0.50", "", "", "", ""]
    total = re.findall(r"^ {5,}([\d. ]+)$", done.stdout, re.MULTILINE)[-1].split()
    # the store keeps r8, and a multiply-add depends on itself: 4 cycles
    assert float(total[-1]) == 4.0


# LLVM


def test_the_penalty_of_a_misprediction_is_set_where_it_was_measured() -> None:
    assert "  // MispredictPenalty: not measured\n" in llvm.encode(MODEL).decode()
    asked = core(facts=(*core().facts, fact("branch.misprediction", 14.6, "cycle", 0.02)))
    text = llvm.encode(asked).decode()
    assert "  let MispredictPenalty = 15;\n" in text
    assert "  // branch.misprediction = 14.6 [14.308, 14.892] cycle, measured, confidence 0.95\n" in text


def test_the_table_follows_the_grammar() -> None:
    """Every line is a comment, or of one of the few shapes that the file may have."""
    name = r"\w+"
    shapes = (
        rf"def {name} : SchedMachineModel \{{", rf"let SchedModel = {name} in \{{", r"\}",
        rf"def {name} : ProcResource<1>;", rf"def {name} : ProcResGroup<\[{name}(, {name})+\]>;",
        rf"def {name} : SchedWriteRes<\[{name}\]> \{{", r"  let CompleteModel = 0;",
        r"  let LoadLatency = \d+;", r"  let Latency = \d+;", r"  let ReleaseAtCycles = \[[1-9]\d*\];",
        r" *//.*", "",
    )  # fmt: skip
    text = llvm.encode(MODEL).decode()
    odd = [line for line in text.splitlines() if not any(re.fullmatch(one, line) for one in shapes)]
    assert odd == []
    defined = re.findall(r"^def (\w+)", text, re.MULTILINE)
    assert len(set(defined)) == len(defined)
    used = {one for group in re.findall(r"<\[([^]]+)\]>", text) for one in group.split(", ")}
    assert used <= set(defined)


def test_numbers_are_rounded_and_stand_unrounded_beside() -> None:
    text = llvm.encode(MODEL).decode()
    wide = text[text.index("def WrittenCoreWriteFp32Fma512 ") :]
    assert "let Latency = 4;" in wide[:120]
    assert "let ReleaseAtCycles = [2];" in wide[:120]
    assert "latency.fp32_fma_512 = 4 cycle, measured" in text
    assert re.search(r"^// def WrittenCoreWriteStore ", text, re.MULTILINE)  # no latency: a comment


@pytest.mark.skipif(
    not (INCLUDE / "llvm" / "Target" / "Target.td").is_file(),
    reason="llvm-tblgen and the headers of LLVM are not installed",
)
def test_tablegen_reads_it(tmp_path: Path) -> None:
    assert TBLGEN is not None
    release = re.search(r"LLVM version (\d+)", subprocess.check_output([TBLGEN, "--version"], text=True))
    assert release is not None
    text = llvm.encode(MODEL).decode()
    key = "ReleaseAtCycles" if int(release.group(1)) > 17 else "ResourceCycles"
    file = tmp_path / "sched.td"
    file.write_text('include "llvm/Target/Target.td"\n' + text.replace("ReleaseAtCycles", key))
    done = subprocess.run(
        [TBLGEN, "-I", str(INCLUDE), "--dump-json", str(file)], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stderr
    records = json.loads(done.stdout)
    fma = records["WrittenCoreWriteFp32Fma256"]
    assert (fma["Latency"], fma[key], fma["ProcResources"][0]["def"]) == (4, [1], "WrittenCoreR5R6")
    assert fma["SchedModel"]["def"] == "WrittenCoreModel"
    measured = [one for one in schedule(MODEL).known if one.latency is not None]
    assert len(records["!instanceof"]["SchedWriteRes"]) == len(measured)


def test_runs_that_give_no_schedule_say_why() -> None:
    assert "x86_64" in osaca.lacks(target())
    assert "no operation" in llvm.lacks(target())
    assert "no operation" in osaca.lacks(core(instructions=()))
    assert osaca.lacks(MODEL) == llvm.lacks(MODEL) == ""
