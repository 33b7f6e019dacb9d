"""A loop body as the cost model sees it: instructions, what they read and write, what they touch."""

from __future__ import annotations

import msgspec


class Address(msgspec.Struct, frozen=True):
    """base + index x scale + displacement; `bits` wide (0 where nothing is accessed, as by `lea`)."""

    base: str
    index: str
    scale: int
    displacement: int
    bits: int
    broadcast: bool = False


class Instruction(msgspec.Struct, frozen=True):
    """One instruction.  Registers are named by their widest form; flags are `cf` and `zf` (all others)."""

    text: str
    mnemonic: str
    operands: tuple[str, ...] = ()
    """Kinds: `r64`, `xmm`, `ymm`, `zmm`, `k`, `m256`, `vm32y`, `imm`, `label`."""
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    memory: tuple[str, ...] = ()
    """`load`, `store` or `both`, one entry an access."""
    address: Address | None = None
    at: int = 0
    flow: str = "next"
    """`next`, `conditional`, `jump`, `call`, `return`, `other`."""
    target: int | None = None
    zeroing: bool = False
    """An idiom that gives zero whatever its sources hold."""
    move: bool = False
    """A copy from register to register of one file."""
    code: str = ""
    """Its bytes in hexadecimal, where they are known."""
    mask: str = ""
    """What says which elements are written: `k` keeps the others, `kz` zeroes them."""

    @property
    def loads(self) -> int:
        """Accesses that read."""
        return sum(one in ("load", "both") for one in self.memory)

    @property
    def stores(self) -> int:
        """Accesses that write."""
        return sum(one in ("store", "both") for one in self.memory)


class Body(msgspec.Struct, frozen=True):
    """What is estimated: one round of a loop, or a mix without order."""

    name: str
    isa: str
    """`x86_64`, `cuda`, or empty for a mix, which is of any."""
    instructions: tuple[Instruction, ...] = ()
    counts: dict[str, float] = {}
    """Of a mix: operation of the model -> how many."""
    notes: tuple[str, ...] = ()
    """How the body was found in the text."""
    items: float = 1.0
    """Results of one round, by which two variants of a loop are compared."""
