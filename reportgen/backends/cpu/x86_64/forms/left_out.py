"""Instruction forms that the survey does not ask of, each with the reason.

Asked in this order, so that a form has one reason: what no program may use, what would disturb the worker
or the sample, what the frame cannot give operands to.
"""

from __future__ import annotations

from iced_x86 import CpuidFeature, EncodingKind, FlowControl, Instruction, Mnemonic

from reportgen.backends.cpu.x86_64.forms.operands import (
    FIXED,
    IMMEDIATES,
    KIND,
    MEMORY_KINDS,
    REGISTERS,
    VSIB,
)

FEATURE = {value: name for name, value in vars(CpuidFeature).items() if isinstance(value, int)}
MNEMONIC = {value: name.lower() for name, value in vars(Mnemonic).items() if isinstance(value, int)}

ALWAYS = frozenset(
    "INTEL8086 INTEL186 INTEL286 INTEL386 INTEL486 X64 CMOV MULTIBYTENOP PAUSE CX8 TSC CLFSH RDTSCP".split()
)
"""Of every processor with 64-bit mode (Intel SDM vol. 1, 5.1; RDTSCP is told by none, and all have it)."""
LLVM_NAME = {
    "SSE4_1": "sse4.1", "SSE4_2": "sse4.2", "PCLMULQDQ": "pclmul", "BMI1": "bmi", "RDRAND": "rdrnd",
    "CMPXCHG16B": "cx16", "PREFETCHW": "prfchw", "AVX512_VBMI": "avx512vbmi", "AVX512_VBMI2": "avx512vbmi2",
    "AVX512_VNNI": "avx512vnni", "AVX512_IFMA": "avx512ifma", "AVX512_BITALG": "avx512bitalg",
    "AVX512_VPOPCNTDQ": "avx512vpopcntdq", "AVX512_BF16": "avx512bf16", "AVX512_FP16": "avx512fp16",
    "AVX512_VP2INTERSECT": "avx512vp2intersect", "AVX_VNNI": "avxvnni", "AVX_IFMA": "avxifma",
    "AVX_VNNI_INT8": "avxvnniint8", "AVX_VNNI_INT16": "avxvnniint16", "AVX_NE_CONVERT": "avxneconvert",
    **{name: name.lower() for name in (
        "SSE SSE2 SSE3 SSSE3 SSE4A AVX AVX2 FMA F16C AES BMI2 ADX LZCNT POPCNT MOVBE SHA GFNI VAES "
        "VPCLMULQDQ AVX512F AVX512CD AVX512DQ AVX512BW AVX512VL SM3 SM4 SHA512 RDSEED RDPID CLWB CLFLUSHOPT "
        "CLDEMOTE SERIALIZE MOVDIRI XOP FMA4 TBM"
    ).split()},
}  # fmt: skip
"""The decoder's extensions in LLVM's names, in which devices tell theirs."""

_SYSTEM = "reads or changes what the operating system manages"
_STATE = "saves or loads register state of many instructions at once"
_EXTENSIONS = {
    "KNC": "Xeon Phi coprocessors only",
    **dict.fromkeys("FPU FPU287 FPU387".split(), "x87: a stack of registers, left out"),
    "MMX": "MMX: shares the x87 registers, left out",
    **dict.fromkeys("D3NOW D3NOWEXT".split(), "3DNow!: shares the x87 registers, left out"),
    **dict.fromkeys("FXSR XSAVE XSAVEC XSAVEOPT XSAVES".split(), _STATE),
    **dict.fromkeys(
        "CET_SS CET_IBT SMX VMX SVM SGX1 UINTR MONITOR MONITORX WAITPKG PKU FSGSBASE CLZERO RDPRU MCOMMIT "
        "RTM HLE_OR_RTM TSXLDTRK CPUID RDPMC PTWRITE ENQCMD".split(), _SYSTEM),
    **dict.fromkeys("AMX_TILE AMX_INT8 AMX_BF16 AMX_FP16 AMX_COMPLEX".split(),
                    "tiles need a configuration; the curated operations ask of them"),
}  # fmt: skip
_RARE = "an extension that few processors have, not asked of yet"

_CONTROL = "changes a control register of the program, and so the other samples"
_MNEMONICS = {
    **dict.fromkeys(
        "sgdt sidt sldt smsw str lar lsl verr verw arpl".split(), _SYSTEM),
    **dict.fromkeys("ldmxcsr vldmxcsr std cld".split(), _CONTROL),
    **dict.fromkeys("maskmovdqu vmaskmovdqu xlatb xlat".split(), "its memory operand has a fixed register"),
    **dict.fromkeys("lss lfs lgs".split(), "segment register"),
    **dict.fromkeys("vzeroupper vzeroall".split(), "clears all vector registers, constants too"),
}  # fmt: skip


def reason(instruction: Instruction) -> str:
    """Why an opcode is not asked of; empty where it is.

    Args:
        instruction: with its code, and no operands yet.
    """
    op_code = instruction.op_code()
    if not op_code.is_instruction or not op_code.mode64:
        return "not in 64-bit mode"
    if instruction.is_privileged or op_code.must_be_cpl0 or op_code.is_input_output:
        return "privileged"
    if instruction.flow_control != FlowControl.NEXT:
        return "goes elsewhere than to the next instruction (jumps, calls, traps, transactions)"
    kinds = [KIND[op_code.op_kind(index)] for index in range(op_code.op_count)]
    return _by_extension(instruction) or _by_effect(instruction) or _by_operands(instruction, kinds)


def _by_extension(instruction: Instruction) -> str:
    names = [FEATURE[one] for one in instruction.cpuid_features()]
    for name in names:
        if name in _EXTENSIONS:
            return _EXTENSIONS[name]
    if any(name not in LLVM_NAME and name not in ALWAYS for name in names):
        return _RARE
    return ""


def _by_effect(instruction: Instruction) -> str:
    op_code = instruction.op_code()
    if instruction.is_stack_instruction:
        return "moves the stack pointer"
    if instruction.is_string_instruction:
        return "string instruction: its memory operands have fixed registers, and move on"
    if op_code.is_save_restore:
        return _STATE
    if op_code.is_reserved_nop:
        return "reserved: does nothing on processors of today"
    return _MNEMONICS.get(MNEMONIC[instruction.mnemonic], "")


def _by_operands(instruction: Instruction, kinds: list[str]) -> str:
    op_code = instruction.op_code()
    if op_code.encoding == EncodingKind.MVEX:
        return _EXTENSIONS["KNC"]
    if any(kind.startswith("MM_") for kind in kinds):
        return _EXTENSIONS["MMX"]
    if any(kind in ("FS", "GS", "SEG_REG") for kind in kinds):
        return "segment register"
    if "MEM_OFFS" in kinds:
        return "absolute address in the instruction"
    known = REGISTERS.keys() | FIXED.keys() | IMMEDIATES.keys() | MEMORY_KINDS | VSIB.keys()
    odd = [kind for kind in kinds if kind not in known]
    return f"operands of a kind that the frame cannot give: {odd[0].lower()}" if odd else ""
