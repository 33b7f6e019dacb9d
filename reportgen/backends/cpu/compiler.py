"""Assembly -> machine code, by LLVM's integrated assembler in this process.

A wrong mnemonic makes LLVM end the whole process, so this runs in a worker only.  The assembler
takes instructions that the processor lacks without a word: features are checked before.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cache

import llvmlite.binding as llvm

from reportgen.backends.cpu import processor
from reportgen.backends.cpu.isa import host
from reportgen.errors import CompileError

HEADER = struct.Struct("<4Q")
"""Offsets from the first byte: entry, body, end of body, end of code."""


@dataclass(frozen=True)
class MachineCode:
    """Bytes of one program, the ISA they are meant for, and where its parts lie in them."""

    code: bytes
    entry: int
    body: int
    body_end: int
    end: int
    isa: str

    @classmethod
    def from_bytes(cls, code: bytes, isa: str) -> MachineCode:
        """Read the header that the frame template puts first.

        Raises:
            CompileError: the offsets do not lie in the code, in order.
        """
        if len(code) < HEADER.size:
            raise CompileError("the assembler gave no code")
        entry, body, body_end, end = HEADER.unpack_from(code)
        if not HEADER.size <= entry < body <= body_end <= end <= len(code):
            raise CompileError("the program's header of offsets is out of order")
        return cls(code, entry, body, body_end, end, isa)


@cache
def _machine() -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    features = ",".join(f"+{name}" for name in host_features())
    machine: llvm.TargetMachine = target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=features, opt=0, reloc="static"
    )
    return machine


def assemble(text: str) -> MachineCode:
    """Assemble one source.  Ends the process, with LLVM's message on stderr, if LLVM refuses it.

    Raises:
        CompileError: the object has no code section or a broken header.
    """
    escaped = text.replace("\\", "\\5C").replace('"', "\\22").replace("\n", "\\0A")
    module = llvm.parse_assembly(f'module asm "{escaped}"\n')
    binary = llvm.ObjectFileRef.from_data(_machine().emit_object(module))
    for section in binary.sections():
        if section.name() in (b".text", b"__text"):
            return MachineCode.from_bytes(section.data(), host())
    raise CompileError("the object file holds no .text section")


def toolchain() -> dict[str, str]:
    """Versions and target, for the manifest."""
    import llvmlite

    return {
        "assembler": "LLVM integrated assembler",
        "llvmlite": llvmlite.__version__,
        "llvm": ".".join(str(part) for part in llvm.llvm_version_info),
        "triple": llvm.get_process_triple(),
        "cpu": llvm.get_host_cpu_name(),
        "features": ",".join(sorted(host_features())),
    }


def host_features() -> list[str]:
    """Instruction-set extensions that processor and operating system both allow, in LLVM's names."""
    names = {name for name, present in llvm.get_host_cpu_features().items() if present}
    if host() == "aarch64":
        names |= processor.arm_features(processor.identity())
    return sorted(names)
