"""What an instruction of the user's own x86-64 code needs, and what it would break."""

from __future__ import annotations

from dataclasses import dataclass

from iced_x86 import Decoder, FlowControl, InstructionInfoFactory, Register, RegisterExt

from reportgen.backends.cpu.x86_64.decode import WRITES
from reportgen.backends.cpu.x86_64.forms.left_out import FEATURE, LLVM_NAME, MNEMONIC

_NAMES = LLVM_NAME | {name: name.lower().replace("_", "-") for name in FEATURE.values() if name[:4] == "AMX_"}
"""The decoder's extensions in LLVM's names, those of tiles too, which the survey leaves out."""
_SEGMENTS = frozenset({Register.ES, Register.CS, Register.SS, Register.DS, Register.FS, Register.GS})
_BREAKS = {
    "std": "it turns the direction of string instructions for the whole process",
    "popfq": "it sets flags that the processor traps on",
    **dict.fromkeys(
        ("ldmxcsr", "vldmxcsr", "fldcw", "fldenv", "frstor", "fxrstor", "fxrstor64", "xrstor", "xrstor64"),
        "it changes how the whole process computes",
    ),
    **dict.fromkeys(("wrfsbase", "wrgsbase", "wrpkru"), "it changes what the process stands on"),
}
_FLOWS = {
    FlowControl.CALL: "it calls",
    FlowControl.INDIRECT_CALL: "it calls",
    FlowControl.RETURN: "it returns",
    FlowControl.INDIRECT_BRANCH: "it jumps where a register says",
    FlowControl.INTERRUPT: "it traps",
    FlowControl.EXCEPTION: "it traps",
    FlowControl.XBEGIN_XABORT_XEND: "it begins or ends a transaction",
}


@dataclass(frozen=True)
class Traits:
    """Of one instruction."""

    features: tuple[str, ...]
    """Extensions that it belongs to, in LLVM's names."""
    refused: str
    """Why it cannot run in the frame; empty where it can."""
    displacement: int
    """Where in its bytes the distance to data begins that are named by a label; -1 where there is none."""


def traits(code: bytes) -> Traits:
    """What is asked of an instruction before it runs."""
    decoder = Decoder(64, code)
    one = decoder.decode()
    names = [FEATURE[feature] for feature in one.cpuid_features()]
    used = InstructionInfoFactory().info(one).used_registers()
    registers = {RegisterExt.full_register(each.register) for each in used}
    mnemonic = MNEMONIC[one.mnemonic]
    refused = _FLOWS.get(one.flow_control, "")
    if mnemonic == "syscall":
        refused = "it calls the operating system"
    elif one.is_invalid:
        refused = "its bytes are no instruction"
    elif one.is_privileged:
        refused = "it is privileged: only the operating system may use it"
    elif Register.RSP in registers and not refused:
        refused = "it uses the stack (rsp), where the frame keeps its own values"
    elif any(each.register in _SEGMENTS and each.access in WRITES for each in used):
        refused = "it writes a segment register, which the process stands on"
    refused = refused or _BREAKS.get(mnemonic, "")
    named = one.is_ip_rel_memory_operand
    return Traits(
        features=tuple(dict.fromkeys(_NAMES[name] for name in names if name in _NAMES)),
        refused=refused,
        displacement=decoder.get_constant_offsets(one).displacement_offset if named else -1,
    )
