"""What x86-64 instructions are in terms of measured operations.

A suite measures one form of many: `vaddps` stands for `vsubps`.  A row here says which operation an
instruction is taken as; it counts as *measured* where the form that was measured has its mnemonic, else as
*alike*.  An instruction with a memory operand is what it is in registers, and a load or a store beside it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass

from reportgen.model.cost import surveyed
from reportgen.model.cost.instruction import Instruction

WIDTHS = {"xmm": "128", "ymm": "256", "zmm": "512"}

VECTOR_ROWS: tuple[tuple[str, str], ...] = (
    (r"v?h(add|sub)p[sd]", "fp32_horizontal_add"),
    (r"v?(add|sub|addsub)ps", "fp32_add"),
    (r"v?(add|sub|addsub)pd", "fp64_add"),
    (r"v?(add|sub)ss", "fp32_add_scalar"),
    (r"v?(add|sub)sd", "fp64_add_scalar"),
    (r"v?mulps", "fp32_mul"),
    (r"v?mulpd", "fp64_mul"),
    (r"v?mulss", "fp32_mul_scalar"),
    (r"v?mulsd", "fp64_mul_scalar"),
    (r"vfn?m(add|sub|addsub|subadd)\d+ps", "fp32_fma"),
    (r"vfn?m(add|sub|addsub|subadd)\d+pd", "fp64_fma"),
    (r"vfn?m(add|sub)\d+ss", "fp32_fma_scalar"),
    (r"vfn?m(add|sub)\d+sd", "fp64_fma_scalar"),
    (r"vfn?m(add|sub|addsub|subadd)\d+(ph|sh)", "fp16_fma"),
    (r"v?divps", "fp32_div_nontrivial"),
    (r"v?divpd", "fp64_div_nontrivial"),
    (r"v?divss", "fp32_div_nontrivial_scalar"),
    (r"v?divsd", "fp64_div_nontrivial_scalar"),
    (r"v?sqrtps", "fp32_sqrt_nontrivial"),
    (r"v?sqrtpd", "fp64_sqrt_nontrivial"),
    (r"v?sqrtss", "fp32_sqrt_nontrivial_scalar"),
    (r"v?sqrtsd", "fp64_sqrt_nontrivial_scalar"),
    (r"v?(max|min)[ps]s", "fp32_max"),
    (r"v?(max|min)[ps]d", "fp64_max"),
    (r"v?cmp\w*[ps][sd]|v?u?comis[sd]", "fp32_compare"),
    (r"v?round[sp][sd]|vrndscale[sp][sd]", "fp32_round"),
    (r"v?rcp(14)?[ps]s", "fp32_rcp"),
    (r"v?rsqrt(14)?[ps]s", "fp32_rsqrt"),
    (r"v?padd(us|s)?[bwdq]|v?psub(us|s)?[bwdq]|v?pavg[bw]|v?pabs[bwdq]|v?psign[bwd]", "vector_int32_add"),
    (r"v?pmulld", "vector_int32_mul"),
    (r"v?pmul(lw|hw|huw|hrsw|udq|dq)|vpmadd52\w+", "vector_int16_mul"),
    (r"v?pmadd(wd|ubsw)", "vector_mul_add"),
    (r"v?p(min|max)[su][bwdq]", "vector_int32_min"),
    (r"v?pcmp(eq|gt)[bwdq]|vpcmpu?[bwdq]|vptestn?m[bwdq]", "vector_compare"),
    (r"vps(ll|rl|ra)v[wdq]|vpsh[lr]dv[wdq]", "vector_shift_variable"),
    (r"vpro[lr]v?[dq]", "vector_rotate"),
    (r"v?ps(ll|rl|ra)[wdq]|vpsh[lr]d[wdq]", "vector_shift"),
    (r"v?(and|or|xor|andn)p[sd]|v?p(and|or|xor|andn)[dq]?", "vector_logic"),
    (r"vpternlog[dq]", "vector_ternary"),
    (r"v?psadbw|v?mpsadbw|vdbpsadbw", "vector_sad"),
    (r"vpopcnt[bwdq]", "vector_popcnt"),
    (r"v?cvtt?p[sd]2u?(dq|qq)", "convert_fp32_int32"),
    (r"v?cvtu?(dq|qq)2p[sd]", "convert_int32_fp32"),
    (r"v?cvt[ps]s2[ps]d", "convert_fp32_fp64"),
    (r"v?cvt[ps]d2[ps]s", "convert_fp64_fp32"),
    (r"v?pshufb", "shuffle_bytes"),
    (r"v?shufp[sd]|v?pshuf(d|hw|lw)|v?permilp[sd]|v?mov(s[hl]|d)dup|v?movhlps|v?movlhps|v?p(sll|srl)dq",
     "shuffle_fp32"),
    (r"vperm2[fi]128|vshuf[fi](32x4|64x2)", "permute_lanes"),
    (r"vperm(ps|d|q|pd)", "permute_fp32"),
    (r"vp?compress\w+", "compress_fp32"),
    (r"vp?expand\w+", "expand_fp32"),
    (r"vperm(w|b)", "permute_bytes"),
    (r"vperm[ti]2\w+", "permute_two_source"),
    (r"v?punpck\w+|v?unpck[lh]p[sd]", "unpack_low"),
    (r"v?pack[us]s\w+", "pack"),
    (r"v?pmov[sz]x\w+|vpmov\w+", "widen"),
    (r"v?palignr|valign[dq]", "align_right"),
    (r"vp?broadcast\w+", "broadcast_fp32"),
    (r"vextract\w+|vinsert\w+|v?insertps|v?extractps", "extract_lane"),
    (r"v?blendp[sd]|v?pblend[wd]|vp?blendm\w+", "blend"),
    (r"v?p?blendv\w+", "blend_variable"),
    (r"v?aes(enc|dec)(last)?", "aes_round"),
    (r"v?pclmul\w+", "carryless_mul"),
    (r"v?gf2p8\w+", "galois_affine"),
    (r"vdpbf16ps", "bf16_dot"),
    (r"vpdpbusds?", "int8_dot"),
    (r"vpdpwssds?", "int16_dot"),
)  # fmt: skip
"""Mnemonic -> stem of an operation; the width of the widest vector operand follows it."""

GENERAL_ROWS: tuple[tuple[str, str], ...] = (
    (r"add|inc", "integer_add"),
    (r"sub|dec|neg", "integer_sub"),
    (r"cmp", "integer_compare"),
    (r"adc|sbb|adcx|adox", "integer_add_carry"),
    (r"and|or|xor|test|not|bt|bts|btr|btc", "integer_logic"),
    (r"andn|bls(r|i|msk)", "integer_and_not"),
    (r"bextr", "bit_extract"),
    (r"bzhi", "bit_zero_high"),
    (r"shlx|shrx|sarx", "integer_shift_variable"),
    (r"rorx", "integer_rotate"),
    (r"shld|shrd", "integer_shift_double"),
    (r"cmov\w+|set\w+", "integer_select"),
    (r"mov(zx|sx|sxd)|cdqe|cwde|cdq|cqo", "integer_zero_extend"),
    (r"mov", "integer_move"),
    (r"popcnt", "popcnt"),
    (r"lzcnt|bsr", "lzcnt"),
    (r"tzcnt|bsf", "tzcnt"),
    (r"crc32", "crc32"),
    (r"pdep", "pdep"),
    (r"pext", "pext"),
    (r"bswap", "byte_swap"),
    (r"mulx", "integer_mul_high"),
    (r"kand\w+|kor[bwdq]|kx\w+|knot\w+", "mask_and"),
    (r"kadd\w+|ktest\w+|kortest\w+", "mask_add"),
    (r"kshift\w+", "mask_shift"),
    (r"kunpck\w+", "mask_unpack"),
)

_INSTEAD = {
    "permute_fp32": ("permute_int32_512",),
    "permute_lanes": ("permute_fp32_256", "permute_int32_512"),
    "fp32_horizontal_add": ("fp32_add_256",),
}
"""What stands for a stem that a run, an older one say, did not ask for at any width."""

FREE = re.compile(r"nop|vzeroupper|vzeroall|endbr64|prefetch\w*")
"""They take a slot of the front end, and as far as the model goes nothing else."""

_TO_GENERAL = re.compile(r"v?mov[dq]|v?p?movmsk\w+|v?pextr[bwdq]|v?pinsr[bwdq]|vpbroadcast[bwdq]")
_MOVE = re.compile(
    r"v?mov(a|u)p[sd]|v?movdq[au]\d*|v?lddqu|vmovnt\w+|v?movnt\w+|v?mov(ss|sd|d|q|hps|lps|hpd|lpd)"
)
_STORED = "convert_fp32_fp16_store_256"
"""Conversion and store in one: on some cores slower than both."""
_ROUND_TRIPS = {"convert_fp64_int64": 0.5, "move_general_vector": 0.5, "mask_move_general": 0.5}
"""Operations that were measured there and back: one instruction is half of it."""


@dataclass(frozen=True, slots=True)
class Part:
    """An operation that an instruction asks for."""

    operation: str
    measured: bool
    """Whether the form that was measured has this mnemonic."""
    share: float = 1.0
    """Of the operation: half where a round trip was measured."""
    busy: float = 1.0
    """How much longer the very instruction keeps its resources than the operation does, beside `share`."""
    form: str = ""
    """The very instruction as a survey has it, where the operation is another's; see `exact`."""

    @property
    def asked(self) -> float:
        """Of the operation's time on its resources."""
        return self.share * self.busy


@dataclass(frozen=True, slots=True)
class Taken:
    """What an instruction is taken as."""

    parts: tuple[Part, ...] = ()
    """Computation first, then load, then store."""
    computes: bool = False
    """Whether the first part computes: its latency is that of results."""
    known: bool = True
    eliminated: bool = False
    """Renaming may do it: zeroing, and copies of registers."""


def take(one: Instruction, forms: Mapping[str, str], whole: Container[str] = ()) -> Taken:
    """The operations of an instruction.

    Args:
        one: the instruction.
        forms: operation -> the form that was measured; an operation that is not here is not known.
        whole: forms of a survey in memory that take far longer than their parts.
    """
    found = _take(one, forms)
    if one.flow != "next":
        return found
    operation = surveyed.whole(one, whole) or ("" if found.known else surveyed.find(one, forms))
    if not operation:
        return found
    # of the instruction in registers: its load or store stands beside it, as everywhere
    beside = [] if surveyed.in_memory(operation) else _memory(one, _width(one), forms)
    return Taken((Part(operation, measured=True), *beside), computes=True)


def _take(one: Instruction, forms: Mapping[str, str]) -> Taken:
    if one.zeroing or FREE.fullmatch(one.mnemonic):
        return Taken(eliminated=one.zeroing)
    if one.flow in ("conditional", "jump"):
        return Taken()
    if one.flow != "next":
        return Taken(known=False)
    width = _width(one)
    if one.stores and one.mnemonic == "vcvtps2ph" and _STORED in forms:
        return Taken((Part(_STORED, measured="ymm" in one.operands),))
    memory = [*_memory(one, width, forms)]
    if one.move or (one.address is not None and _only_moves(one)):
        if one.move:
            name = "integer_move" if width == "" else f"vector_move_{width}"
            part = _part(
                one, name, forms, alternatives=("integer_logic", f"vector_logic_{width}", "vector_logic_256")
            )
            return Taken(
                (part,) if part else (), computes=part is not None, known=part is not None, eliminated=True
            )
        return Taken(tuple(memory), known=bool(memory))
    part = _computation(one, width, forms)
    if part is None:
        return Taken(tuple(memory), known=False)
    return Taken((part, *memory), computes=True)


def _width(one: Instruction) -> str:
    """`128`, `256`, `512` of the widest vector operand; empty for general registers."""
    found = [WIDTHS[kind] for kind in one.operands if kind in WIDTHS]
    return max(found, default="", key=int) if found else ""


def _only_moves(one: Instruction) -> bool:
    """A load or store that computes nothing, broadcasts from memory included."""
    if one.mnemonic in ("mov", "movnti", "movbe") or _MOVE.fullmatch(one.mnemonic):
        return True
    load_only = one.loads and not one.stores
    return (
        bool(load_only)
        and re.fullmatch(r"vp?broadcast\w+|mov(zx|sx|sxd)|v?movd?dup", one.mnemonic) is not None
    )


def _memory(one: Instruction, width: str, forms: Mapping[str, str]) -> list[Part]:
    """A load or a store of the width that is accessed; scalars in vector registers count as 128 bits."""
    if one.address is None or not one.memory:
        return []
    bits = one.address.bits
    suffix = "" if width == "" and bits <= 64 else f"_{128 if bits <= 128 else bits}"
    found = []
    for number, name in ((one.loads, "l1_load"), (one.stores, "store")):
        if number:
            known = f"{name}{suffix}" if f"{name}{suffix}" in forms else name
            if known in forms:
                found.append(Part(known, measured=suffix != "_128" or bits == 128))
    return found


def _computation(one: Instruction, width: str, forms: Mapping[str, str]) -> Part | None:
    if one.mnemonic == "lea":
        return _lea(one, forms)
    special = _special(one, width)
    if special:
        return _part(one, special, forms, ("move_general_vector",) if "mask" in special else ())
    if width == "" and "k" not in one.operands:
        return _general(one, forms)
    if width == "":
        return _first(one, GENERAL_ROWS, lambda stem: (stem,), forms)
    return _first(one, VECTOR_ROWS, lambda stem: _names(stem, width), forms)


def _names(stem: str, width: str) -> tuple[str, ...]:
    """Operations that may stand for a stem at a width: itself, narrower, wider, without a width."""
    if stem.endswith("_scalar"):
        plain = stem.removesuffix("_scalar")
        return (plain, f"{plain}_128", f"{plain}_256")
    if stem == "vector_rotate":
        return (f"{stem}_{width}", f"{stem}_512", f"vector_shift_{width}", "vector_shift_256")
    order = {
        "128": ("128", "", "256", "512"),
        "256": ("256", "128", "512", ""),
        "512": ("512", "256", "128", ""),
    }
    # an operation without a width in its name is one of 128 bits, or of scalars, which are no wider
    return (*("_".join(filter(None, (stem, one))) for one in order[width]), *_INSTEAD.get(stem, ()))


def _first(
    one: Instruction,
    rows: tuple[tuple[str, str], ...],
    names: Callable[[str], tuple[str, ...]],
    forms: Mapping[str, str],
) -> Part | None:
    for pattern, stem in rows:
        if re.fullmatch(pattern, one.mnemonic):
            first, *others = names(stem)
            return _part(one, first, forms, tuple(others))
    return None


def _part(
    one: Instruction, name: str, forms: Mapping[str, str], alternatives: tuple[str, ...] = ()
) -> Part | None:
    """The first of some operations that the run knows."""
    for candidate in (name, *alternatives):
        if candidate in forms:
            measured = candidate == name and one.mnemonic.removeprefix("v") in _mnemonics(forms[candidate])
            return Part(candidate, measured, _ROUND_TRIPS.get(candidate, 1.0))
    return None


def _mnemonics(form: str) -> set[str]:
    """Instructions of a form, without the `v` of VEX, so that `addps` is `vaddps`."""
    parts = form.replace("{evex}", "").replace("{vex}", "").split(";")
    return {part.split()[0].removeprefix("v") for part in parts if part.split()}


def _special(one: Instruction, width: str) -> str:
    """Instructions whose operands decide: between register files, and the conversions that cross them."""
    general = any(re.fullmatch(r"r(8|16|32|64)", kind) for kind in one.operands)
    if re.fullmatch(r"v?cvtt?s[sd]2u?si|v?cvtu?si2s[sd]", one.mnemonic):
        return "convert_fp64_int64"
    if width and general and "movmsk" in one.mnemonic:
        return "move_mask_256"
    if width and general and _TO_GENERAL.fullmatch(one.mnemonic):
        return "move_general_vector"
    if "k" in one.operands[:1] and width and "cmp" in one.mnemonic:
        return "compare_into_mask_512"
    if "k" in one.operands and one.mnemonic.startswith("kmov"):
        return "mask_move_general" if general else "mask_and"
    if width and re.fullmatch(r"v?cvtph2ps|v?cvtps2ph", one.mnemonic):
        return "convert_fp32_fp16"
    return ""


def _general(one: Instruction, forms: Mapping[str, str]) -> Part | None:
    name = one.mnemonic
    if name in ("shl", "sal", "shr", "sar"):
        by_register = len(one.operands) > 1 and one.operands[1] != "imm"
        return _part(
            one, "integer_shift_variable" if by_register else "integer_shift", forms, ("integer_shift",)
        )
    if name in ("rol", "ror"):
        return _part(one, "integer_rotate", forms, ("integer_shift",))
    if name in ("mul", "imul"):
        high = len(one.operands) == 1
        return _part(one, "integer_mul_high" if high else "integer_mul", forms, ("integer_mul",))
    if name in ("div", "idiv"):
        return _part(one, "integer_div", forms, ("integer_div_trivial",))
    return _first(one, GENERAL_ROWS, lambda stem: (stem, "integer_sub", "integer_add"), forms)


def _lea(one: Instruction, forms: Mapping[str, str]) -> Part | None:
    """Addresses of three components are slower than others on most cores."""
    address = one.address
    if address is None:
        return None
    parts = sum((bool(address.base), bool(address.index), address.displacement != 0))
    if parts == 3:
        return _part(one, "lea_3", forms, ("lea_2",))
    if address.index and address.scale > 1:
        return _part(one, "lea_scaled", forms, ("lea_2",))
    return _part(one, "lea_2", forms, ("integer_add",))
