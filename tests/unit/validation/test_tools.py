"""How llvm-mca and OSACA are found, asked and read; and that one which is absent says why."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from reportgen.runs.schema import Device
from reportgen.validation.llvm_mca import LlvmMca
from reportgen.validation.osaca import Osaca, architecture_of, read_answer
from reportgen.validation.others import Answer, ask, complaint, run
from reportgen.validation.subject import Subject, in_att, subject
from tests.simulated.loops import DEVICE
from tests.unit.validation.tools import MCA, OSACA, write

CONSTANTS = {
    "loop": "sum", "items": 8.0, "before": "xor eax, eax", "constants": "mask: .long 1", "a": "fp32 4096",
    "body": "vaddps ymm0, ymm0, [rsi+rax]\nmovzx eax, al\nvpand ymm1, ymm1, [rip+mask]",
}  # fmt: skip


def one(name: str = "one", **changes: object) -> Subject:
    return in_att([subject(name, "a sum", CONSTANTS | changes)])[0]


def test_the_round_alone_stands_between_the_marks_in_both_syntaxes() -> None:
    given = one()
    assert given.size == 4096
    assert given.att == (
        "vaddps (%rsi,%rax),%ymm0,%ymm0", "movzbl %al,%eax", given.att[2], "dec %r15", "jne loop",
    )  # fmt: skip
    assert given.att[2].startswith("vpand ")
    assert given.marked.index("LLVM-MCA-BEGIN") < given.marked.index("vaddps")
    assert "xor eax" not in given.marked
    assert given.marked_att.splitlines()[:2] == ["# OSACA-BEGIN", "loop:"]


def test_the_newest_llvm_mca_on_the_path_is_asked(tmp_path: Path) -> None:
    write(tmp_path / "a", "llvm-mca-14", MCA, version="14.0.6", each=1)
    write(tmp_path / "b", "llvm-mca", MCA, version="9.0.1", each=3)
    write(tmp_path / "b", "llvm-mca-notes", MCA, version="99.0.0", each=9)
    tool = LlvmMca(path=os.pathsep.join(str(tmp_path / name) for name in ("b", "a", "absent")))
    done: list[str] = []
    said = ask(tool, [one(), one("wide", body="vaddps zmm0, zmm0, [rsi]")], done.append)
    assert (said.name, said.version, said.target, said.absent) == ("llvm-mca", "14.0.6", "znver9", "")
    assert said.cycles == {"one": 5.0}
    assert said.faults == {"wide": "found an unsupported instruction."}
    assert sorted(done) == ["one", "wide"]


def test_an_absent_tool_says_why(tmp_path: Path) -> None:
    said = ask(LlvmMca(path=str(tmp_path)), [one()], lambda name: None)
    assert said.absent == "no llvm-mca on the search path: it comes with LLVM (package llvm)"
    assert said.cycles == {}
    assert Osaca(DEVICE, path=str(tmp_path)).missing().startswith("no osaca on the search path: pip install")


def test_osaca_answers_with_the_larger_of_pressure_and_dependency(tmp_path: Path) -> None:
    write(tmp_path, "osaca", OSACA, version="0.7.1", each=0.5)
    said = ask(Osaca(DEVICE, path=str(tmp_path)), [one(), one("short", body="nop")], lambda name: None)
    assert (said.version, said.target, said.absent) == ("0.7.1", "ZEN4", "")
    assert said.cycles == {"one": 2.5, "short": 1.5}
    assert said.unknown == {"one": ("movzbl %al,%eax",)}


def test_an_old_osaca_and_a_processor_without_tables_are_refused(tmp_path: Path) -> None:
    write(tmp_path, "osaca", OSACA, version="0.5.2", each=1)
    assert Osaca(DEVICE, path=str(tmp_path)).missing() == "osaca 0.5.2 is too old: 0.7 or newer is needed"
    other = msgspec.structs.replace(DEVICE, reported={"family": 26, "model": 2})
    assert Osaca(other, path=str(tmp_path)).missing() == "OSACA has no tables for Written core"


@pytest.mark.parametrize(
    ("vendor", "family", "model", "stepping", "name"),
    [
        ("AMD", 23, 0x01, 2, "ZEN1"),
        ("AMD", 23, 0x31, 0, "ZEN2"),
        ("AMD", 25, 0x01, 1, "ZEN3"),
        ("AMD", 25, 0x11, 1, "ZEN4"),
        ("AMD", 25, 0x61, 2, "ZEN4"),
        ("AMD", 26, 0x02, 1, ""),
        ("Intel", 6, 85, 4, "SKX"),
        ("Intel", 6, 85, 7, "CSX"),
        ("Intel", 6, 106, 6, "ICX"),
        ("Intel", 6, 143, 8, "SPR"),
        ("Intel", 6, 1, 0, ""),
        ("Nobody", 25, 0x11, 1, ""),
    ],
)
def test_osaca_names_of_processors(vendor: str, family: int, model: int, stepping: int, name: str) -> None:
    reported: dict[str, int | float | str] = {"family": family, "model": model, "stepping": stepping}
    assert architecture_of(Device("x", "cpu", vendor, "X", "x86_64", reported=reported)) == name


def test_an_answer_without_a_summary_is_a_fault() -> None:
    assert read_answer("", "Kernel: []\n") == Answer(fault="its answer has no summary")


def test_a_program_that_cannot_start_is_a_fault(tmp_path: Path) -> None:
    assert complaint(run(tmp_path / "absent")).startswith("it cannot be started")
    (tmp_path / "silent").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "silent").chmod(0o755)
    assert complaint(run(tmp_path / "silent")) == "exit code 3"


def test_the_installed_llvm_mca_gives_the_latency_of_a_chain() -> None:
    tool = LlvmMca()
    if tool.missing():
        pytest.skip(tool.missing())
    said = ask(tool, [one("chain", body="imul rbx, rbx\nimul rbx, rbx")], lambda name: None)
    assert said.cycles["chain"] == pytest.approx(6.0, abs=0.1)


def test_a_line_that_was_left_out_is_a_fault_though_the_tool_calls_it_success(tmp_path: Path) -> None:
    unread = "<stdin>:5:1: error: invalid instruction mnemonic 'foo'"
    script = f"#!/bin/sh\necho 'LLVM version 14.0.6'\necho 'Total Cycles: 2000'\necho \"{unread}\" >&2\n"
    (tmp_path / "llvm-mca").write_text(script)
    (tmp_path / "llvm-mca").chmod(0o755)
    said = ask(LlvmMca(path=str(tmp_path)), [one()], lambda name: None)
    assert said.faults == {"one": "invalid instruction mnemonic 'foo'"}
