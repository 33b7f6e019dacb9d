"""Kernels that the tests compile: forms that are right, forms that a compiler is known to spoil."""

from __future__ import annotations

from dataclasses import dataclass, field

from reportgen.backends.base import Source

LENGTH = 32
ASM_LETTERS = {
    "float": "f",
    "double": "d",
    "int": "r",
    "unsigned": "r",
    "unsigned short": "h",
    "unsigned long long": "l",
}


@dataclass(frozen=True)
class Form:
    """One kernel: what is repeated in its window, and what the window shall hold."""

    name: str
    ctype: str
    step: str
    """PTX with %0 the accumulator, %1 and %2 constants."""
    match: str
    count: int = LENGTH
    lowest: int = 75
    chains: int = 1
    more: dict[str, int | str] = field(default_factory=dict)
    """Further keys of the expectation."""


def asm(ctype: str, ptx: str) -> str:
    """One step on `x`, with `a` and `b`."""
    letter = ASM_LETTERS[ctype]
    return f'asm volatile("{ptx}" : "+{letter}"(x) : "{letter}"(a), "{letter}"(b) : "memory");'


READ_CLOCK = 'asm volatile("mov.u32 %0, %%clock;" : "=r"({0}) :: "memory");'


def kernel(
    name: str,
    ctype: str,
    window: str,
    *,
    warm: str = "",
    attributes: str = "",
    loads: str = "",
    both_clocks: bool = True,
) -> str:
    """A kernel with per-thread operands `x`, `a`, `b`, shared memory at address 0 and one timed window."""
    declared = loads or (
        f"{ctype} x = static_cast<const {ctype}*>(in)[threadIdx.x], "
        f"a = static_cast<const {ctype}*>(in)[threadIdx.x + 64], "
        f"b = static_cast<const {ctype}*>(in)[threadIdx.x + 128];"
    )
    clocks = "c[0] = t0; c[1] = t1;" if both_clocks else "c[0] = t1 - t0;"
    return f"""extern "C" __global__ void {attributes} {name}(void* out, const void* in, unsigned* c) {{
  {declared}
  {warm}
  unsigned t0, t1;
  {READ_CLOCK.replace("{0}", "t0")}
  {window}
  {READ_CLOCK.replace("{0}", "t1")}
  static_cast<{ctype}*>(out)[threadIdx.x] = x;
  {clocks}
}}
"""


def source(form: Form, target: str, text: str = "") -> Source:
    """The source of a form; `text` instead of the usual straight chain after a warm step."""
    name = f"probe_{form.name}"
    one = asm(form.ctype, form.step)
    body = text or kernel(name, form.ctype, "\n  ".join([one] * LENGTH), warm=one)
    expect: dict[str, int | str] = {
        "kind": "chain",
        "chains": form.chains,
        f"want.{form.name}": form.count,
        f"match.{form.name}": form.match,
    }
    return Source(
        point=form.name,
        text=body,
        expect=expect | form.more,
        work={"steps": float(LENGTH)},
        setup={"kernel": name, "target": target},
    )


def mma(name: str, shape: str, registers: tuple[str, int, int, int], count: int = LENGTH) -> str:
    """A chain of matrix instructions through their accumulator.

    Args:
        name: of the kernel.
        shape: what follows `mma.sync.aligned.`.
        registers: asm letter of the accumulator, registers of accumulator, A and B.
        count: of instructions.
    """
    letter, results, left, right = registers
    kind = {"f": "float", "r": "unsigned", "d": "double"}[letter]
    operand = "double" if letter == "d" else "unsigned"
    slots = iter(range(results + left + right))
    groups = ["{" + ",".join(f"%{next(slots)}" for _ in range(n)) + "}" for n in (results, left, right)]
    outputs = ", ".join(f'"+{letter}"(d[{n}])' for n in range(results))
    letters = "d" if letter == "d" else "r"
    inputs = ", ".join(
        f'"{letters}"({array}[{n}])' for array, many in (("a", left), ("b", right)) for n in range(many)
    )
    ptx = f"mma.sync.aligned.{shape} {groups[0]}, {groups[1]}, {groups[2]}, {groups[0]};"
    step = f'asm volatile("{ptx}" : {outputs} : {inputs});'
    loads = f"""{kind} d[{results}]; {operand} a[{left}], b[{right}];
  for (int k = 0; k < {results}; ++k) d[k] = static_cast<const {kind}*>(in)[threadIdx.x * 8 + k];
  for (int k = 0; k < {left}; ++k) a[k] = static_cast<const {operand}*>(in)[threadIdx.x * 8 + 2048 + k];
  for (int k = 0; k < {right}; ++k) b[k] = static_cast<const {operand}*>(in)[threadIdx.x * 8 + 4096 + k];"""
    text = kernel(name, kind, "\n  ".join([step] * count), warm=step, loads=loads)
    stores = (
        f"for (int k = 0; k < {results}; ++k) static_cast<{kind}*>(out)[threadIdx.x * {results} + k] = d[k];"
    )
    return text.replace(f"static_cast<{kind}*>(out)[threadIdx.x] = x;", stores)


GOOD = (
    Form("fp32_fma", "float", "fma.rn.f32 %0, %0, %1, %2;", "FFMA"),
    Form("fp32_add", "float", "add.rn.f32 %0, %0, %1;", "FADD"),
    Form("fp32_mul", "float", "mul.rn.f32 %0, %0, %1;", "FMUL"),
    Form("fp64_fma", "double", "fma.rn.f64 %0, %0, %1, %2;", "DFMA"),
    Form("fp64_add", "double", "add.rn.f64 %0, %0, %1;", "DADD"),
    Form("integer_mad", "int", "mad.lo.s32 %0, %0, %1, %2;", "IMAD"),
    Form("integer_mul_high", "unsigned", "mul.hi.u32 %0, %0, %1;", r"IMAD\.HI\.U32"),
    Form("integer_logic", "int", "lop3.b32 %0, %0, %1, %2, 0x6a;", r"LOP3\.LUT"),
    Form("integer_add", "int", "{add.s32 %0, %0, %1; add.s32 %0, %0, %2;}", "IADD3"),
    Form("integer_permute", "int", "prmt.b32 %0, %0, %1, %2;", "PRMT"),
    Form("integer_shift", "unsigned", "shf.l.wrap.b32 %0, %0, %1, %2;", r"SHF\.L\.W\.U32\.HI"),
    Form("popcount", "unsigned", "popc.b32 %0, %0;", "POPC"),
    Form("exponential", "float", "ex2.approx.ftz.f32 %0, %0;", r"MUFU\.EX2"),
    Form("shuffle", "int", "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;", r"SHFL\.BFLY"),
    Form("load_global", "unsigned long long", "ld.global.cg.u64 %0, [%0];", r"LDG\.E\.64\..*"),
    Form("load_shared", "unsigned", "ld.shared.u32 %0, [%0];", r"LDS(\.U)?"),
    Form(
        "integer_select",
        "int",
        "{.reg .pred p; setp.lt.s32 p, %0, %1; selp.s32 %0, %1, %2, p;}",
        r"ISETP\.GE\.AND|SEL",
        count=2 * LENGTH,
    ),
)
MATRIX = Form("matrix_f16", "float", "", r"HMMA\.16816\.F32", lowest=80)
"""`mma.sync.m16n8k16`, FP16 operands, FP32 accumulator."""


def good(target: str) -> list[Source]:
    """Every right form that a target has."""
    number = int(target[3:].rstrip("af"))
    sources = [source(form, target) for form in GOOD if form.lowest <= number]
    if number >= MATRIX.lowest:
        text = mma("probe_matrix_f16", "m16n8k16.row.col.f32.f16.f16.f32", ("f", 4, 4, 2))
        sources.append(source(MATRIX, target, text))
    return [*sources, independent(target), loop(target, "loop", "#pragma unroll 1")]


def independent(target: str) -> Source:
    """Eight chains of FFMA side by side, four steps each."""
    names = [f"x{n}" for n in range(8)]
    loads = " ".join(
        f"float {one} = static_cast<const float*>(in)[threadIdx.x + {32 * n}];"
        for n, one in enumerate(("a", "b", *names))
    )
    step = " ".join(
        f'asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"({one}) : "f"(a), "f"(b));' for one in names
    )
    text = kernel("probe_side_by_side", "float", "\n  ".join([step] * 4), warm=step, loads=loads)
    text = text.replace("= x;", "= " + " + ".join(names) + ";")
    form = Form("side_by_side", "float", "", "FFMA", chains=8, more={"kind": "independent"})
    return source(form, target, text)


def naive(target: str) -> list[Source]:
    """Forms that look right in the source and are spoilt in the machine code of every target."""
    number = int(target[3:].rstrip("af"))
    forms = [
        source(Form("folded_xor", "unsigned", "xor.b32 %0, %0, %1;", r"LOP3\.LUT"), target),
        source(Form("reciprocal_twice", "float", "rcp.approx.ftz.f32 %0, %0;", r"MUFU\.RCP"), target),
        source(Form("merged_adds", "int", "add.s32 %0, %0, %1;", r"IADD3|IMAD\.IADD|IADD"), target),
        _uniform(target),
        _literal(target),
        loop(target, "unrolled", ""),
        _spill(target),
        _difference(target),
        _cold(target),
        _broken(target),
    ]
    if number >= 89:
        text = mma("probe_fp8", "m16n8k32.row.col.f32.e4m3.e4m3.f32", ("f", 4, 4, 2))
        forms.append(source(Form("fp8", "float", "", "QMMA.*"), target, text))
    if number >= 80:
        text = mma("probe_b1", "m16n8k256.row.col.s32.b1.b1.s32.and.popc", ("r", 4, 4, 2))
        forms.append(source(Form("b1", "unsigned", "", "BMMA.*"), target, text))
    return forms


def _uniform(target: str) -> Source:
    """Operands straight from the parameters: the same in every lane."""
    step = asm("int", "popc.b32 %0, %0;")
    text = kernel("probe_uniform", "int", "\n  ".join([step] * LENGTH), warm=step, loads="int x = x0;")
    text = text.replace("const void* in", "int x0, int a, int b")
    return source(Form("uniform", "int", "", "POPC"), target, text)


def _literal(target: str) -> Source:
    step = "x = x * 1.5 + a;"
    text = kernel("probe_literal", "float", "\n  ".join([step] * LENGTH), warm=step)
    return source(Form("literal", "float", "", "FFMA"), target, text)


def loop(target: str, name: str, pragma: str) -> Source:
    """32 steps in the body of a loop of eight turns."""
    step = asm("float", "fma.rn.f32 %0, %0, %1, %2;")
    body = "\n  ".join([step] * LENGTH)
    window = f"{pragma}\n  for (int i = 0; i < 8; ++i) {{ {body} }}"
    text = kernel(f"probe_{name}", "float", window, warm=step)
    control = r"U?IADD3|IADD|VIADD|U?ISETP\..*|BRA(\..*)?|U?MOV|IMAD\.MOV\.U32|HFMA2(\.MMA)?|LDC(\.64)?"
    return source(Form(name, "float", "", "FFMA", more={"allow": control}), target, text)


def _spill(target: str) -> Source:
    many = 60
    declared = f"float a = 2.0f, b = 3.0f, x = 0.0f, y[{many}];"
    fill = f"for (int k = 0; k < {many}; ++k) y[k] = static_cast<const float*>(in)[threadIdx.x + k];"
    body = "\n  ".join(
        f'asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(y[{k}]) : "f"(y[{(k * 7 + 1) % many}]));'
        for k in range(many)
    )
    text = kernel(
        "probe_spill",
        "float",
        body,
        warm=fill + body,
        loads=declared,
        attributes="__launch_bounds__(1024, 2)" if not target.startswith("sm_75") else "__maxnreg__(32)",
    )
    text = text.replace("= x;", "= x + a + b + " + " + ".join(f"y[{k}]" for k in range(many)) + ";")
    form = Form("spill", "float", "", "FFMA", count=many, chains=0, more={"kind": "independent"})
    return source(form, target, text)


def _difference(target: str) -> Source:
    """Only t1 - t0 is stored."""
    step = asm("float", "fma.rn.f32 %0, %0, %1, %2;")
    text = kernel("probe_difference", "float", "\n  ".join([step] * LENGTH), warm=step, both_clocks=False)
    return source(Form("difference", "float", "", "FFMA"), target, text)


def _cold(target: str) -> Source:
    """No copy of the operation before the window."""
    step = asm("double", "fma.rn.f64 %0, %0, %1, %2;")
    text = kernel("probe_cold", "double", "\n  ".join([step] * LENGTH))
    return source(Form("cold", "double", "", "DFMA"), target, text)


def _broken(target: str) -> Source:
    """Two chains where one is meant."""
    one = asm("float", "fma.rn.f32 %0, %0, %1, %2;")
    other = one.replace("(x)", "(y)")
    half = "\n  ".join([one, other] * (LENGTH // 2))
    loads = "".join(
        f"float {name} = static_cast<const float*>(in)[threadIdx.x + {64 * n}];"
        for n, name in enumerate("xyab")
    )
    text = kernel("probe_broken", "float", half, warm=one + other, loads=loads).replace("= x;", "= x + y;")
    return source(Form("broken", "float", "", "FFMA"), target, text)
