"""PTX over as many kinds of operands as there are, to test how registers are read."""

from __future__ import annotations

from reportgen.backends.cuda.compiler import Kernel
from tests.unit.backends.cuda import kernels

STEPS: dict[str, tuple[tuple[int, str], ...]] = {
    "unsigned": (
        (75, "mul.hi.s32 %0, %0, %1;"),
        (75, "min.s32 %0, %0, %1;"),
        (75, "max.u32 %0, %0, %2;"),
        (75, "div.u32 %0, %0, %1;"),
        (75, "bfind.u32 %0, %0;"),
        (75, "brev.b32 %0, %0;"),
        (75, "lop3.b32 %0, %0, %1, %2, 0x6a;"),
        (75, "prmt.b32 %0, %0, %1, %2;"),
        (75, "shf.r.clamp.b32 %0, %0, %1, %2;"),
        (75, "dp4a.s32.s32 %0, %1, %2, %0;"),
        (75, "sad.u32 %0, %0, %1, %2;"),
        (75, "bfi.b32 %0, %0, %1, %2, 3;"),
        (75, "{add.cc.u32 %0, %0, %1; addc.u32 %0, %0, %2;}"),
        (75, "{.reg .pred p, q; setp.lt.s32 p|q, %0, %1; @p add.s32 %0, %0, %2; @q xor.b32 %0, %0, %1;}"),
        (
            75,
            "{.reg .pred p, q; setp.lt.s32 p, %0, %1; setp.gt.and.s32 q, %0, %2, p; selp.b32 %0, %1, %2, q;}",
        ),
        (75, "{.reg .pred p; setp.lt.s32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1;}"),
        (
            75,
            "{.reg .pred p, q; setp.lt.s32 p, %0, %1; vote.sync.any.pred q, p, -1; selp.b32 %0, %1, %0, q;}",
        ),
        (75, "{.reg .pred p; shfl.sync.down.b32 %0|p, %0, %1, 31, -1; @p add.s32 %0, %0, %2;}"),
        (75, "{.reg .pred p; match.all.sync.b32 %0|p, %0, -1; @p add.s32 %0, %0, %2;}"),
        (80, "redux.sync.add.s32 %0, %0, -1;"),
        (90, "{.reg .pred p; elect.sync %0|p, -1; @p add.s32 %0, %0, %2;}"),
        (75, "{.reg .f32 t; cvt.rn.f32.s32 t, %0; cvt.rzi.s32.f32 %0, t;}"),
        (75, "{.reg .b64 t; mul.wide.u32 t, %0, %1; mov.b64 {%0, _}, t;}"),
        (75, "fma.rn.f16x2 %0, %0, %1, %2;"),
        (80, "fma.rn.bf16x2 %0, %0, %1, %2;"),
        (75, "{.reg .pred p, q; setp.lt.f16x2 p|q, %0, %1; @p add.s32 %0, %0, %2; @q xor.b32 %0, %0, %1;}"),
        (75, "{.reg .b64 t; ld.shared.u64 t, [%0]; mov.b64 {%0, _}, t;}"),
        (75, "{.reg .b32 u, v, w; ld.shared.v4.u32 {%0, u, v, w}, [%0]; add.s32 %0, %0, w;}"),
        (75, "st.shared.v4.u32 [%0], {%1, %2, %1, %2};"),
        (75, "atom.shared.cas.b32 %0, [%0], %1, %2;"),
        (75, "{.reg .b64 t; cvt.u64.u32 t, %1; atom.shared.max.u64 t, [%0], t; cvt.u32.u64 %0, t;}"),
        (
            75,
            "{.reg .b32 u; ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, u}, [%0]; add.s32 %0, %0, u;}",
        ),
        (90, "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};"),
        (75, "movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;"),
        (75, "{.reg .pred p; setp.lt.s32 p, %0, %1; bar.red.popc.u32 %0, 0, p;}"),
        (75, "nanosleep.u32 %1;"),
        (75, "bmsk.clamp.b32 %0, %0, %1;"),
        (90, "mapa.shared::cluster.u32 %0, %0, 1;"),
        (80, "{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%1]; add.s32 %0, %0, %2;}"),
        (90, "{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %0; selp.b32 %0, %1, %2, p;}"),
        (75, "{.reg .b32 t; mov.u32 t, %%laneid; add.s32 %0, %0, t;}"),
    ),
    "float": (
        (75, "fma.rn.f32 %0, %0, %1, %2;"),
        (75, "min.f32 %0, %0, %1;"),
        (100, "min.f32 %0, %0, %1, %2;"),
        (75, "sin.approx.f32 %0, %0;"),
        (75, "div.rn.f32 %0, %0, %1;"),
        (75, "sqrt.rn.f32 %0, %0;"),
        (75, "{.reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %1, %2, p;}"),
        (75, "{.reg .s64 t; cvt.rzi.s64.f32 t, %0; cvt.rn.f32.s64 %0, t;}"),
        (75, "{.reg .f16 t; cvt.rn.f16.f32 t, %0; cvt.f32.f16 %0, t;}"),
        (89, "{.reg .b16 t; cvt.rn.satfinite.e4m3x2.f32 t, %0, %1; mov.b32 %0, {t, t};}"),
        (75, "cvt.rni.f32.f32 %0, %0;"),
    ),
    "double": (
        (75, "fma.rn.f64 %0, %0, %1, %2;"),
        (75, "min.f64 %0, %0, %1;"),
        (75, "rcp.approx.ftz.f64 %0, %0;"),
        (75, "{.reg .pred p; setp.lt.f64 p, %0, %1; selp.f64 %0, %1, %2, p;}"),
        (75, "{.reg .s32 t; cvt.rzi.s32.f64 t, %0; cvt.rn.f64.s32 %0, t;}"),
        (75, "{.reg .s64 t; cvt.rzi.s64.f64 t, %0; cvt.rn.f64.s64 %0, t;}"),
        (75, "{.reg .f32 t; cvt.rn.f32.f64 t, %0; cvt.f64.f32 %0, t;}"),
        (75, "cvt.rni.f64.f64 %0, %0;"),
    ),
    "unsigned long long": (
        (75, "sub.s64 %0, %0, %1;"),
        (75, "mad.lo.s64 %0, %0, %1, %2;"),
        (75, "min.s64 %0, %0, %1;"),
        (75, "max.u64 %0, %0, %2;"),
        (75, "{.reg .b32 t; cvt.u32.u64 t, %1; shr.s64 %0, %0, t;}"),
        (75, "{.reg .pred p; setp.lt.s64 p, %0, %1; selp.b64 %0, %1, %2, p;}"),
        (100, "fma.rn.f32x2 %0, %0, %1, %2;"),
        (100, "add.rn.f32x2 %0, %0, %1;"),
        (75, "ld.global.ca.u64 %0, [%0];"),
        (75, "ld.global.nc.u64 %0, [%0];"),
        (75, "ld.u64 %0, [%0];"),
        (
            75,
            "{.reg .b32 s, t, u, v; ld.global.v4.u32 {s, t, u, v}, [%0]; cvt.u64.u32 %0, s;}",
        ),
        (75, "st.global.v2.u64 [%0], {%1, %2};"),
        (75, "st.global.u64 [%0], %1;"),
        (75, "atom.global.add.u64 %0, [%0], %1;"),
        (75, "atom.global.cas.b64 %0, [%0], %1, %2;"),
        (75, "red.global.add.u64 [%0], %1;"),
        (75, "{.reg .f64 f; mov.b64 f, %1; atom.global.add.f64 f, [%0], f; mov.b64 %0, f;}"),
        (
            80,
            "{.reg .b32 s, t; mov.b64 {s, t}, %1; cp.async.ca.shared.global [s], [%0], 16;}",
        ),
        (75, "prefetch.global.L2 [%0];"),
        (75, "{.reg .pred p; isspacep.shared p, %0; selp.b64 %0, %1, %2, p;}"),
        (75, "{.reg .b64 t; mov.u64 t, %%clock64; add.s64 %0, %0, t;}"),
        (75, "{.reg .b64 t; mov.u64 t, %%globaltimer; add.s64 %0, %0, t;}"),
    ),
}
"""C type of the accumulator -> (lowest target, PTX)."""

MATRICES: tuple[tuple[int, str, tuple[str, int, int, int]], ...] = (
    (75, "m16n8k8.row.col.f32.f16.f16.f32", ("f", 4, 2, 1)),
    (75, "m16n8k8.row.col.f16.f16.f16.f16", ("r", 2, 2, 1)),
    (75, "m8n8k16.row.col.s32.s8.s8.s32", ("r", 2, 1, 1)),
    (80, "m16n8k16.row.col.f32.bf16.bf16.f32", ("f", 4, 4, 2)),
    (80, "m16n8k8.row.col.f32.tf32.tf32.f32", ("f", 4, 4, 2)),
    (80, "m16n8k32.row.col.s32.u8.s8.s32", ("r", 4, 4, 2)),
    (80, "m8n8k4.row.col.f64.f64.f64.f64", ("d", 2, 1, 1)),
    (89, "m16n8k32.row.col.f32.e4m3.e4m3.f32", ("f", 4, 4, 2)),
    (90, "m16n8k16.row.col.f64.f64.f64.f64", ("d", 4, 8, 4)),
)
"""(lowest target, shape, registers)."""


def corpus(number: int) -> list[Kernel]:
    """A kernel for each type and each matrix shape that a target has."""
    found = []
    for index, (ctype, steps) in enumerate(STEPS.items()):
        body = "\n  ".join(kernels.asm(ctype, ptx) for lowest, ptx in steps if lowest <= number)
        found.append(Kernel(f"corpus_{index}", kernels.kernel(f"corpus_{index}", ctype, body)))
    for index, (lowest, shape, registers) in enumerate(MATRICES):
        if lowest <= number:
            name = f"corpus_matrix_{index}"
            found.append(Kernel(name, kernels.mma(name, shape, registers, count=2)))
    return found
