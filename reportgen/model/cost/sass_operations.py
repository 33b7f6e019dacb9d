"""Which operation an opcode of SASS stands for; several forms of one opcode count as one operation.

The rows are what the suite's own programs were compiled to, for every target (`data/sm-*`); a test keeps them
so.  Matrix products say their shape and types in their modifiers.
"""

from __future__ import annotations

import re

FREE = re.compile(
    r"(BRA|EXIT|NOP|BSSY|BSYNC|BREAK|WARPSYNC|DEPBAR|YIELD|JMP|WARPGROUP|LDGDEPBAR|RET|CALL|R2UR|S2UR"
    r"|U(IADD3|MOV|LOP3|ISETP|SEL|IMAD|SHF|LEA|PRMT|FLO|POPC|BREV|PLOP3|SGXT|BMSK|P2UR))\b.*"
)
"""They take an issue slot and nothing else that is known; those of the uniform path among them."""

ROWS: tuple[tuple[str, str], ...] = (
    (r"FADD2.*", "fp32x2_add"),
    (r"FMUL2.*", "fp32x2_mul"),
    (r"FFMA2.*", "fp32x2_fma"),
    (r"FADD.*", "fp32_add"),
    (r"FMUL.*", "fp32_mul"),
    (r"FFMA.*", "fp32_fma"),
    (r"FMNMX3.*", "fp32_min_3"),
    (r"FMNMX.*|FSETP.*|FSET\b.*", "fp32_min"),
    (r"FSEL.*", "fp32_select"),
    (r"FRND.*", "fp32_round"),
    (r"DADD.*", "fp64_add"),
    (r"DMUL.*", "fp64_mul"),
    (r"DFMA.*", "fp64_fma"),
    (r"HADD2\.F32.*", "convert_fp16_fp32"),
    (r"HADD2.*BF16.*", "bf16_add"),
    (r"HADD2.*", "fp16_add"),
    (r"HMUL2.*BF16.*", "bf16_mul"),
    (r"HMUL2.*", "fp16_mul"),
    (r"HFMA2.*BF16.*", "bf16_fma"),
    (r"HFMA2.*RELU.*", "fp16_fma_relu"),
    (r"HFMA2.*", "fp16_fma"),
    (r"HMNMX2.*BF16.*", "bf16_min"),
    (r"HMNMX2.*", "fp16_min"),
    (r"HSETP?2.*", "fp16_compare"),
    (r"IMAD\.WIDE.*", "integer_mul_wide"),
    (r"IMAD\.HI.*", "integer_mul_high"),
    (r"IMAD.*|IMUL.*", "integer_mad"),
    (r"IDP\.4A.*", "int8_dot"),
    (r"IDP\.2A.*", "int16_dot"),
    (r"IADD\.64.*", "integer_add_64"),
    (r"IADD3.*|IADD.*|MOV\b.*|CS2R.*|S2R.*", "integer_add"),
    (r"IABS.*", "integer_abs"),
    (r"SGXT.*", "sign_extend"),
    (r"BMSK.*", "bit_mask"),
    (r"LOP3.*|PLOP3.*", "integer_logic"),
    (r"SHF\.[LR]\.W\b.*", "integer_shift_double"),
    (r"SHF\.[LR]\.[US]64\b.*", "integer_shift_64"),
    (r"SHF\b.*", "integer_shift"),
    (r"LEA.*", "integer_shift_add"),
    (r"SEL\b.*", "integer_select"),
    (r"VIADDMNMX\.RELU.*", "integer_add_max_relu"),
    (r"VIADDMNMX.*16x2.*", "integer_add_max_16x2"),
    (r"VIADDMNMX.*", "integer_add_max"),
    (r"VIMNMX3.*", "integer_max_3"),
    (r"VIMNMX.*16x2.*", "integer_max_16x2"),
    (r"V?IMNMX\.[US]64.*", "integer_min_64"),
    (r"V?IMNMX\.U32.*", "integer_min_unsigned"),
    (r"ISETP.*|V?IMNMX.*", "integer_min"),
    (r"VABSDIFF4.*", "integer_difference_4"),
    (r"VABSDIFF.*", "integer_difference"),
    (r"PRMT.*", "integer_permute"),
    (r"POPC.*", "popcnt"),
    (r"FLO.*", "find_leading_one"),
    (r"BREV.*", "bit_reverse"),
    (r"MUFU\.EX2\.F16.*", "fp16_exp2"),
    (r"MUFU\.TANH\.F16.*", "fp16_tanh"),
    (r"MUFU\.TANH\.BF16.*", "bf16_tanh"),
    (r"MUFU\.RCP64H.*", "fp64_reciprocal_seed"),
    (r"MUFU\.RSQ64H.*", "fp64_reciprocal_sqrt_seed"),
    (r"MUFU\.EX2.*", "exp2"),
    (r"MUFU\.LG2.*", "log2"),
    (r"MUFU\.SIN.*", "sin"),
    (r"MUFU\.COS.*", "cos"),
    (r"MUFU\.RCP.*", "reciprocal"),
    (r"MUFU\.RSQ.*", "reciprocal_sqrt"),
    (r"MUFU\.SQRT.*", "sqrt"),
    (r"MUFU\.TANH.*", "tanh"),
    (r"F2I\.[US]64\.F64.*", "convert_fp64_int64"),
    (r"F2I.*F64.*", "convert_fp64_int32"),
    (r"F2I\.F16.*", "convert_fp16_int32"),
    (r"F2I.*", "convert_fp32_int32"),
    (r"I2F\.F64\.[US]64.*", "convert_int64_fp64"),
    (r"I2F.*F64.*", "convert_int32_fp64"),
    (r"I2F.*|I2FP.*", "convert_int32_fp32"),
    (r"I2IP.*", "convert_int32_int8"),
    (r"F2F\.F64\.F32.*", "convert_fp32_fp64"),
    (r"F2F\.F32\.F64.*", "convert_fp64_fp32"),
    (r"F2FP\.F16\.E4M3.*", "convert_e4m3_fp16"),
    (r"F2FP\.F16\.E5M2.*", "convert_e5m2_fp16"),
    (r"F2FP.*E4M3.*", "convert_fp32_e4m3"),
    (r"F2FP.*E5M2.*", "convert_fp32_e5m2"),
    (r"F2FP.*TF32.*", "convert_fp32_tf32"),
    (r"F2FP\.(RELU\.)?BF16.*", "convert_fp32_bf16"),
    (r"F2FP.*", "convert_fp32_fp16"),
    (r"LDGSTS.*", "async_copy"),
    (r"LDSM.*\.4", "matrix_load_4"),
    (r"LDSM.*", "matrix_load"),
    (r"STSM.*", "matrix_store"),
    (r"MOVM.*", "matrix_transpose"),
    (r"LDS.*", "shared_load"),
    (r"LDC.*|ULDC.*", "constant_load"),
    (r"LDL.*", "local_load"),
    (r"LDG.*CONSTANT.*", "global_load_nc"),
    (r"LDG.*", "global_load"),
    (r"LD\b.*", "generic_load"),
    (r"TLD.*|TEX\b.*", "texture_load"),
    (r"STS.*", "shared_store"),
    (r"STG.*|ST\b.*", "global_store"),
    (r"ATOMG.*F32.*", "global_atomic_add_fp32"),
    (r"ATOMG.*CAS.*", "global_atomic_cas"),
    (r"ATOMG.*EXCH.*", "global_atomic_exchange"),
    (r"ATOMG.*(MIN|MAX).*", "global_atomic_min"),
    (r"ATOMG.*", "global_atomic_add"),
    (r"ATOMS.*CAS.*", "shared_atomic_cas"),
    (r"ATOMS.*EXCH.*", "shared_atomic_exchange"),
    (r"ATOMS.*(MIN|MAX).*", "shared_atomic_min"),
    (r"ATOMS.*", "shared_atomic_add"),
    (r"REDG?\b.*", "global_reduction_add"),
    (r"C?REDUX.*(MIN|MAX).*F32.*", "reduce_min_fp32"),
    (r"C?REDUX.*(MIN|MAX).*", "reduce_min"),
    (r"REDUX\.SUM.*", "reduce_add"),
    (r"REDUX.*", "reduce_and"),
    (r"SHFL\.DOWN.*", "shuffle_down"),
    (r"SHFL\.UP.*", "shuffle_up"),
    (r"SHFL\.IDX.*", "shuffle_index"),
    (r"SHFL.*", "shuffle_butterfly"),
    (r"MATCH\.ALL.*", "match_all"),
    (r"MATCH\.ANY.*", "match_any"),
    (r"VOTE.*", "vote"),
)
"""Opcode with its modifiers -> operation; the first that fits."""

_PRODUCT = re.compile(
    r"(?P<kind>[HIBDQO]G?MMA)(?P<scaled>\.SF)?(?P<sparse>\.SP)?\.(?P<shape>\d+(?:x\d+x\d+)?)(?P<types>.*)"
)
_SIXTEENTHS = re.compile(r"(?P<m>16|8)8(?P<k>\d+)")
"""`16816`: m 16, n 8, k 16."""


def operation(opcode: str) -> str | None:
    """The operation that an opcode stands for; empty for one that only takes a slot; None if not known."""
    if FREE.fullmatch(opcode):
        return ""
    product = _PRODUCT.fullmatch(opcode)
    if product is not None:
        return _product(product)
    return next((name for pattern, name in ROWS if re.fullmatch(pattern, opcode)), None)


def _product(found: re.Match[str]) -> str | None:
    kind, types = found["kind"], found["types"].strip(".").split(".")
    shape = _shape(found["shape"])
    if not shape:
        return None
    name = "wgmma" if "G" in kind else "mma"
    sparse = "sparse_" if found["sparse"] else ""
    return f"{name}_{sparse}{shape}_{_types(kind[0], types, bool(found['scaled']))}"


def _shape(text: str) -> str:
    if "x" in text:
        return "m{}n{}k{}".format(*text.split("x"))
    parts = _SIXTEENTHS.fullmatch(text)
    return f"m{parts['m']}n8k{parts['k']}" if parts else ""


def _types(kind: str, types: list[str], scaled: bool) -> str:
    """Input and accumulator, as the operations of the suite name them."""
    if kind == "D":
        return "f64_f64"
    if kind == "B":
        return "b1_and_s32" if "AND" in types else "b1_s32"
    if kind == "I":
        return "s4_s32" if types[0][1:] == "4" else "s8_s32"
    accumulator = types[0].lower()
    if kind == "O":
        return f"{'nvf4' if '4X' in types else 'mxf4'}_{accumulator}"
    given = types[1].lower() if len(types) > 1 else "f16"
    if scaled:
        given = "mxf8" if given in ("e4m3", "e5m2") else "mxf6"
    return f"{given}_{accumulator}"
