"""Listings in, loop bodies out; what cannot be read is said in one sentence."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from reportgen.model.cost.parse import MOST, Unreadable, estimable, parse, read, x86_bodies

ATT = """
	.text
	.globl	dot
dot:
	vxorps	%xmm0, %xmm0, %xmm0
.L3:
	vmovups	(%rdi,%rax), %ymm1
	vfmadd231ps	(%rsi,%rax), %ymm1, %ymm0
	addq	$32, %rax
	cmpq	%rdx, %rax
	jne	.L3
	ret
"""
INTEL = """
# items: 8
  vxorps xmm0, xmm0, xmm0
again:
  vmovups ymm1, [rdi+rax]
  vfmadd231ps ymm0, ymm1, [rsi+rax]
  add rax, 32
  cmp rax, rdx
  jne again
  ret
"""


def test_both_syntaxes_give_the_same_loop() -> None:
    one, other = parse("a.s", ATT), parse("b.s", INTEL)
    assert [i.text for i in one.instructions] == [i.text for i in other.instructions]
    assert [i.mnemonic for i in one.instructions] == ["vmovups", "vfmadd231ps", "add", "cmp", "jne"]
    assert one.notes == ("the loop of 5 instructions that ends with jne",)
    assert (one.isa, one.items, other.items) == ("x86_64", 1.0, 8.0)


def test_an_instruction_says_what_it_reads_writes_and_touches() -> None:
    load, fma, add, _, branch = parse("b.s", INTEL).instructions
    assert (load.reads, load.writes, load.memory) == (("rax", "rdi"), ("zmm1",), ("load",))
    assert load.address is not None
    assert (load.address.base, load.address.index, load.address.bits) == ("rdi", "rax", 256)
    assert set(fma.reads) == {"rax", "rsi", "zmm0", "zmm1"}
    assert (fma.operands, fma.loads, fma.stores) == (("ymm", "ymm", "m256"), 1, 0)
    assert set(add.writes) == {"rax", "cf", "zf"}
    assert (branch.flow, branch.reads) == ("conditional", ("zf",))


@pytest.mark.parametrize("tool", ["LLVM-MCA", "OSACA"])
def test_marks_cut_out_the_region(tool: str) -> None:
    text = f"  xor eax, eax\n# {tool}-BEGIN body\n  add rax, 1\n  imul rax, rbx\n# {tool}-END\n  ret\n"
    body = parse("m.s", text)
    assert [one.mnemonic for one in body.instructions] == ["add", "imul"]
    assert body.notes == ("the region between the marks",)


def test_the_longest_innermost_loop_is_taken() -> None:
    text = """
outer:
  mov rcx, 8
first:
  add rax, 1
  dec rcx
  jne first
second:
  add rbx, 1
  add rbx, rax
  dec rdx
  jne second
  dec r8
  jne outer
"""
    body = parse("n.s", text)
    assert [one.text.split()[0] for one in body.instructions] == ["add", "add", "dec", "jne"]
    assert body.notes == ("the loop of 4 instructions that ends with jne, the longest of 2",)


def test_a_text_without_a_loop_is_a_body() -> None:
    body = parse("s.s", "add rax, rbx\nimul rcx, rax\n")
    assert len(body.instructions) == 2
    assert body.notes == ("the whole text, as if it were the body of a loop",)


def test_idioms_and_copies_are_told() -> None:
    body = parse(
        "i.s",
        "xor eax, eax\nvpxor ymm0, ymm1, ymm1\nmov rbx, rcx\nvmovaps ymm2, ymm3\nvpxorq zmm0, zmm0, [rsi]\n",
    )
    zero, vector, copy, wide, load = body.instructions
    assert (zero.zeroing, zero.reads) == (True, ())
    assert vector.zeroing
    assert (copy.move, wide.move) == (True, True)
    assert not load.zeroing  # its memory operand is no copy of the register
    assert "zmm0" in load.reads


def test_carry_and_other_flags_are_apart() -> None:
    adc, dec = parse("f.s", "adc rax, rbx\ndec rcx\n").instructions
    assert "cf" in adc.reads
    assert "cf" not in dec.writes


def test_a_list_of_operations_is_a_mix(tmp_path: Path) -> None:
    file = tmp_path / "mix.txt"
    file.write_text("# of a kernel\nfp32_fma_256: 8\nl1_load_256:4\nfp32_fma_256:1\n")
    assert read(str(file)).counts == {"fp32_fma_256": 9.0, "l1_load_256": 4.0}
    assert read("fp32_fma:2,l1_load:1").counts == {"fp32_fma": 2.0, "l1_load": 1.0}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "holds no instruction"),
        ("# only a comment\n", "holds no instruction"),
        ("foo rax, 1\n", "'x.s' cannot be assembled: invalid instruction mnemonic 'foo': foo rax, 1"),
        ("ldr q0, [x0], #16\nfmla v1.4s, v0.4s, v2.4s\n", "'x.s' is AArch64 code"),
        ("once upon a time\n", "of no instruction set that is known"),
        ("loop:\n .text\n", "holds no instruction"),
        ("loop:\n addi a0,a0,1\n bne a0,a1,loop\n", "'x.s' is RISC-V code"),
        ("loop:\n xvmaddadp vs0,vs1,vs2\n bdnz loop\n", "'x.s' is Power code"),
        ("%3 = fadd float %1, %2\nbr label %loop\n", "'x.s' is LLVM IR code"),
        (".target sm_90\nfma.rn.f32 %f1, %f2, %f3, %f1;\n", "'x.s' is PTX, which is compiled once more"),
        ("fma.rn.f32 %f1, %f2, %f3, %f1;\n", "'x.s' is PTX"),
        ("fp32_fma: 0\n", "'x.s' counts nothing"),
        ("# LLVM-MCA-BEGIN\n# LLVM-MCA-END\nadd rax, rbx\n", "holds no instruction"),
    ],
)
def test_what_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        parse("x.s", text)


def test_an_empty_loop_is_said_to_be_one() -> None:
    for text in ("loop:\n dec rcx\n jnz loop\n", "loop:\n jmp loop\n"):
        assert parse("e.s", text).notes[-1] == "the loop does nothing but count"
    assert len(parse("e.s", "loop:\n add rax, [rdi]\n dec rcx\n jnz loop\n").notes) == 1


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(Unreadable, match="there is no file"):
        read("absent.s")
    binary = tmp_path / "b.o"
    binary.write_bytes(b"\x7fELF\xff\xfe")
    with pytest.raises(Unreadable, match="is no text"):
        read(str(binary))
    with pytest.raises(Unreadable, match="not of the form"):
        read("fp32_fma:2,oops")


def test_text_of_other_systems_is_text(tmp_path: Path) -> None:
    file = tmp_path / "a.s"
    file.write_bytes(b"\xef\xbb\xbfadd rax, rbx\r\nimul rax, rcx\r\n")
    assert [one.text for one in read(str(file)).instructions] == ["add rax,rbx", "imul rax,rcx"]


def test_what_is_far_too_long_for_a_loop_is_refused() -> None:
    one = parse("a.s", "nop\n")
    assert estimable(one) is one
    long = msgspec.structs.replace(one, instructions=one.instructions * (MOST + 1))
    with pytest.raises(Unreadable, match=r"20001 instructions, and at most 20000 .* LLVM-MCA-BEGIN"):
        estimable(long)


def test_one_bad_text_of_many_is_named() -> None:
    with pytest.raises(Unreadable, match="cannot be assembled"):
        x86_bodies([("good.s", "add rax, rbx\n", True), ("bad.s", "nonsense rax\n", True)])
