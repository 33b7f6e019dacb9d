"""Kernels of ours that stand under the roofs: matrix products, vectors, reductions.

They are written to be read, not to be the fastest there is.  Work and bytes are counted by the definitions
that the probes state, as for the routines of a CPU library.
"""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.backends.cuda.generator_parts import Parts, Request

DEPTH = 8
"""Columns of the left and rows of the right matrix that are in shared memory at a time."""
THREADS = 256
UNROLL = 4
"""Elements of a vector that a thread takes in a row."""
SURROUNDINGS = (
    "U?ISETP.*|BRA(\\..*)?|U?IADD.*|U?IMAD.*|VIADD|U?LEA.*|U?MOV(\\.64)?|U?LDCU?.*|S2U?R|CS2R.*|NOP|U?LOP3.*|U?PLOP3.*|U?SHF.*"
    "|R2UR|HFMA2.*|U?SEL|LDS.*|STS.*|LDG.*|STG.*|LD\\.E.*|BAR.*|SHFL.*|BSSY.*|BSYNC.*|U?I2FP?.*|BMOV.*|VI(ADD)?MNMX.*|IMNMX.*|UMOV"
    "|WARPSYNC.*|U?PRMT|FSEL|P2R|R2P|ULEPC|DEPBAR.*|FADD|FMUL|FMNMX.*|MUFU.*|FSETP.*|FFMA\\..*|DADD|DMUL|USEL"
)
"""Beside the arithmetic that is counted: addresses, loads and stores, synchronisation, guards."""


@dataclass(frozen=True)
class Element:
    """A C type of matrix elements."""

    type: str
    opcode: str
    bytes: int
    side: int
    """Rows and columns of the product that a thread holds."""


ELEMENTS = {"fp32": Element("float", "FFMA", 4, 8), "fp64": Element("double", "DFMA", 8, 4)}


def _element(request: Request) -> Element:
    return ELEMENTS[str(request.probe.definition.constants.get("precision", "fp32"))]


def _launch(request: Request, **more: int) -> dict[str, int | float | str]:
    return {"kind": "kernel", "threads": THREADS, **request.probe.definition.constants, **more}


def _matrices(request: Request) -> tuple[int, int, int]:
    """(m, n, k): square of side `n`, or a batch of tokens against a weight matrix of the probe."""
    constants = request.probe.definition.constants
    if "n" in request.point.settings:
        n = request.setting("n")
        return n, n, n
    width = int(constants["width"])
    return request.setting("batch") * int(constants["tokens"]), width, width


def gemm(request: Request) -> Parts:
    """C = A B by tiles in shared memory; a thread holds `side` x `side` of C."""
    element = _element(request)
    m, n, k = _matrices(request)
    side = element.side
    expect: dict[str, int | str] = {
        "kind": "memory",
        "chains": 0,
        "want.fma": DEPTH * side * side,
        "match.fma": element.opcode,
        # from sm_80 to sm_89 the assembler leaves the loop by a call that does not return
        "allow": f"{SURROUNDINGS}|CALL\\.REL\\.NOINC",
    }
    context = {"type": element.type, "tile": 16 * side, "side": side, "depth": DEPTH}
    parameters = [
        (f"const {element.type} *left", "matrix:m k"),
        (f"const {element.type} *right", "matrix:k n"),
        (f"{element.type} *out", "matrix:m n"),
        ("unsigned m", "size:m"),
        ("unsigned n", "size:n"),
        ("unsigned k", "size:k"),
    ]
    work = {"flop": 2.0 * m * n * k, "bytes": float(element.bytes * (m * k + k * n + m * n))}
    setup = _launch(request, m=m, n=n, k=k, tile=16 * side)
    return Parts(context, parameters, expect, work, setup, wide_clock=True)


def axpy(request: Request) -> Parts:
    """Y = a x + y, `UNROLL` elements of a thread under way."""
    element, n = _element(request), request.setting("n")
    expect: dict[str, int | str] = {
        "kind": "memory",
        "chains": 0,
        "want.fma": UNROLL,
        "match.fma": element.opcode,
        "allow": SURROUNDINGS,
    }
    parameters = [
        (f"const {element.type} *x", "vector:n"),
        (f"{element.type} *y", "vector:n"),
        ("unsigned n", "size:n"),
        (f"{element.type} factor", "value:factor"),
    ]
    work = {"flop": 2.0 * n, "bytes": 3.0 * element.bytes * n}
    context = {"type": element.type, "unroll": UNROLL}
    return Parts(context, parameters, expect, work, _launch(request, n=n))


def gemv(request: Request) -> Parts:
    """Y = A x, a warp for every row."""
    element, n = _element(request), request.setting("n")
    expect: dict[str, int | str] = {
        "kind": "memory",
        "chains": 0,
        "want.fma": UNROLL,
        "match.fma": element.opcode,
        "allow": SURROUNDINGS,
    }
    parameters = [
        (f"const {element.type} *matrix", "matrix:n n"),
        (f"const {element.type} *x", "vector:n"),
        (f"{element.type} *y", "vector:n"),
        ("unsigned n", "size:n"),
    ]
    work = {"flop": 2.0 * n * n, "bytes": float(element.bytes * (n * n + 2 * n))}
    context = {"type": element.type, "unroll": UNROLL}
    return Parts(context, parameters, expect, work, _launch(request, n=n))


def softmax(request: Request) -> Parts:
    """Rows of `width`: maximum, sum of exponentials, quotient; a block for every row."""
    return _rows(request, flop=4.0, expect={"want.exp": 2, "match.exp": r"MUFU\.EX2"})


def layer_norm(request: Request) -> Parts:
    """Rows of `width`: mean, variance, scale and shift; a block for every row."""
    return _rows(request, flop=7.0, expect={"want.root": 1, "match.root": r"MUFU\.RSQ"})


def _rows(request: Request, flop: float, expect: dict[str, int | str]) -> Parts:
    count = request.setting("rows")
    width = int(request.probe.definition.constants["width"])
    elements = float(count * width)
    parameters = [
        ("const float *in", "matrix:rows width"),
        ("float *out", "matrix:rows width"),
        ("unsigned width", "size:width"),
    ]
    work = {"flop": flop * elements, "bytes": 8.0 * elements}
    whole = {"kind": "memory", "chains": 0, "allow": f"{SURROUNDINGS}|FFMA", **expect}
    return Parts({}, parameters, whole, work, _launch(request, rows=count))
