"""CUDA C++ -> cubin of the exact target, by NVRTC in this process, or by nvcc where only that is there.

Many kernels of one target go into one compilation unit (compiler and disassembler cost more to start than a
kernel takes), each in a namespace of its own and under its own `#line`; what the compiler refuses is told
apart by the names in its log and compiled alone.  NVRTC is called through ctypes: NVIDIA's own binding
can hang where there is no driver.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reportgen.backends.cuda import cache as store
from reportgen.backends.cuda import targets, toolkit
from reportgen.errors import BackendUnavailable, CompileError

OPTIONS = ("--std=c++17",)
"""Given beside the architecture."""
UNIT = 128
"""Most kernels in one compilation unit."""
_ALONE = re.compile(
    r"^\s*#\s*(include|define)\b|\b__constant__\b|\b__device__\s+\w+[\w\s]*(\[|;|=)", re.MULTILINE
)
"""What would meet its like of another kernel in one unit: macros, headers, module variables."""
_HINTS = ("include", "define", "__constant__", "__device__")
"""Words without which a text matches none of that."""
_LOG_LINES = 12


@dataclass(frozen=True)
class Kernel:
    """Source of one kernel: `name` is its `extern "C"` symbol."""

    name: str
    text: str


def compile_kernel(kernel: Kernel, target: str) -> bytes:
    """The cubin of one kernel alone.

    Raises:
        CompileError: it was refused; the log, with source lines.
        UserError: the toolkit here has no such target.
        BackendUnavailable: there is no toolkit here.
    """
    cubin = compile_kernels([kernel], target)[kernel.name]
    if isinstance(cubin, CompileError):
        raise cubin
    return cubin


def compile_kernels(kernels: Sequence[Kernel], target: str) -> dict[str, bytes | CompileError]:
    """Name -> the cubin that holds the kernel (shared with others), or why it was refused.

    Raises:
        ValueError: two kernels have one name.
        UserError: the toolkit here has no such target.
        BackendUnavailable: there is no toolkit here.
    """
    if len({kernel.name for kernel in kernels}) != len(kernels):
        raise ValueError("two kernels have one name")
    targets.require(target, supported(), f"{compiler_name()} {version()}")
    alone = [kernel for kernel in kernels if _is_alone(kernel.text)]
    names = {kernel.name for kernel in alone}
    together = [kernel for kernel in kernels if kernel.name not in names]
    units = [together[start : start + UNIT] for start in range(0, len(together), UNIT)]
    result: dict[str, bytes | CompileError] = {}
    for unit in [*units, *([kernel] for kernel in alone)]:
        result |= _compile_unit(unit, target)
    return {kernel.name: result[kernel.name] for kernel in kernels}


def _is_alone(text: str) -> bool:
    """Whether a kernel has a unit of its own; most have none of the words, and need no search by pattern."""
    return any(word in text for word in _HINTS) and bool(_ALONE.search(text))


def _compile_unit(unit: list[Kernel], target: str) -> dict[str, bytes | CompileError]:
    text = _join(unit)
    name = store.key(text, target, *OPTIONS, fingerprint()) + ".unit"
    known = store.get(name)  # under which name the cubin lies
    cubin = store.get(known.decode()) if known else None
    if cubin is None:
        try:
            cubin = _translate(text, target)
        except CompileError as error:
            return _apart(unit, target, str(error))
        store.put(name, store.keep(cubin, ".cubin").encode())
    return {kernel.name: cubin for kernel in unit}


def _apart(unit: list[Kernel], target: str, log: str) -> dict[str, bytes | CompileError]:
    """Compile again without those that the log blames; one alone gets its log."""
    if len(unit) == 1:
        return {unit[0].name: CompileError(_explain(unit[0], target, log))}
    blamed = {kernel.name for kernel in unit if re.search(rf"\b{kernel.name}\b", log)}
    blamed |= _entries(unit, target, log) if not blamed else set()
    bad = [kernel for kernel in unit if kernel.name in blamed]
    good = [kernel for kernel in unit if kernel.name not in blamed]
    if not bad or not good:
        middle = len(unit) // 2
        return _compile_unit(unit[:middle], target) | _compile_unit(unit[middle:], target)
    result = _compile_unit(good, target)
    for kernel in bad:
        result |= _compile_unit([kernel], target)
    return result


def _join(unit: Sequence[Kernel]) -> str:
    """One text; errors and line tables name the kernel as the file."""
    lined = [f'#line 1 "{kernel.name}.cu"\n{kernel.text}\n' for kernel in unit]
    if len(lined) == 1:
        return lined[0]
    return "".join(f"namespace unit_{number} {{\n{text}}}\n" for number, text in enumerate(lined))


def _explain(kernel: Kernel, target: str, log: str) -> str:
    """The log with the source line beside every PTX line that it names, cut to what can be read."""
    if "ptx input, line" in log:
        log = _log_of(kernel, target, ("-lineinfo",))
        ptx = _translate(_join([kernel]), targets.parse(target).virtual, ("-lineinfo",))
        numbered = ptx.decode(errors="replace").splitlines()
        log = "\n".join(_with_source(line, numbered, kernel) for line in log.splitlines())
    lines = [line for line in log.splitlines() if line.strip()]
    left_out = len(lines) - _LOG_LINES
    return "\n".join([*lines[:_LOG_LINES], *([f"... {left_out} more lines"] if left_out > 0 else [])])


def _with_source(message: str, ptx: list[str], kernel: Kernel) -> str:
    match = re.search(r"ptx input, line (\d+); (\w+)\s*: (.*)", message)
    if match is None or not 0 < int(match[1]) <= len(ptx):
        return message
    at = int(match[1]) - 1
    found = f"{match[2]}: {match[3]} in '{ptx[at].strip()}'"
    for line in reversed(ptx[:at]):
        place = re.match(r"\s*\.loc\s+\d+\s+(\d+)", line)
        if place:
            text = kernel.text.splitlines()
            number = int(place[1])
            source = text[number - 1].strip() if 0 < number <= len(text) else ""
            return f"{kernel.name}.cu({number}): {found}, source: {source}"
    return found


def _entries(unit: list[Kernel], target: str, log: str) -> set[str]:
    """Kernels in whose PTX the lines lie that ptxas complains of."""
    numbers = [int(n) for n in re.findall(r"ptx input, line (\d+);", log)]
    if not numbers:
        return set()
    ptx = _translate(_join(unit), targets.parse(target).virtual).decode(errors="replace").splitlines()
    found = set()
    for number in numbers:
        for line in reversed(ptx[:number]):
            match = re.search(r"\.entry (\w+)", line)
            if match:
                found.add(match[1])
                break
    return found


def _log_of(kernel: Kernel, target: str, options: tuple[str, ...]) -> str:
    try:
        _translate(_join([kernel]), target, options)
    except CompileError as error:
        return str(error)
    return ""


@cache
def ptx_version(target: str) -> str:
    """`9.5`: the PTX language version in which the compiler speaks to the assembler."""
    empty = 'extern "C" __global__ void probe_empty() {}'
    ptx = _translate(empty, targets.parse(target).virtual).decode(errors="replace")
    match = re.search(r"^\.version ([\d.]+)", ptx, re.MULTILINE)
    return match[1] if match else "unknown"


def compiler_name() -> str:
    """`NVRTC` or `nvcc`."""
    return "NVRTC" if toolkit.find().nvrtc else "nvcc"


def version() -> str:
    """Version of the compiler here: `13.5.37`, or `13.5` where it does not tell more."""
    here = toolkit.find()
    if here.nvrtc is None or here.builtins is None:
        assert here.nvcc is not None
        return toolkit.release(here.nvcc)
    return _nvrtc_release(here.nvrtc, here.builtins)


def fingerprint() -> str:
    """Part of every cache key: two compilers of one fingerprint give the same code."""
    return f"{compiler_name()} {version()}"


def supported() -> tuple[int, ...]:
    """Numbers of the targets the compiler here builds for: (75, 80, 86, ...)."""
    here = toolkit.find()
    if here.nvrtc is None or here.builtins is None:
        assert here.nvcc is not None
        return _nvcc_targets(here.nvcc)
    library = _nvrtc(here.nvrtc, here.builtins)
    count = ctypes.c_int()
    library.nvrtcGetNumSupportedArchs(ctypes.byref(count))
    numbers = (ctypes.c_int * count.value)()
    library.nvrtcGetSupportedArchs(numbers)
    return tuple(numbers)


def describe() -> dict[str, str]:
    """Compiler, version and options, for the manifest."""
    return {
        "compiler": compiler_name(),
        "compiler_version": version(),
        "compiler_origin": toolkit.find().origin,
        "options": " ".join(OPTIONS),
    }


def _translate(text: str, architecture: str, options: tuple[str, ...] = ()) -> bytes:
    """Cubin of `sm_X`, or PTX text of `compute_X`."""
    here = toolkit.find()
    if here.nvrtc is not None and here.builtins is not None:
        return _by_nvrtc(_nvrtc(here.nvrtc, here.builtins), text, architecture, options)
    assert here.nvcc is not None
    return _by_nvcc(here.nvcc, text, architecture, options)


@cache
def _nvrtc(path: Path, builtins: Path) -> ctypes.CDLL:
    """The library; its builtins first, because NVRTC 13.0 does not look beside itself for them.

    Raises:
        BackendUnavailable: it cannot be loaded.
    """
    try:
        ctypes.CDLL(str(builtins), ctypes.RTLD_GLOBAL)
        library = ctypes.CDLL(str(path))
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
    except (OSError, AttributeError) as error:
        reason = str(error).replace(f"{path.parent}/", "")
        raise BackendUnavailable(f"NVRTC cannot be loaded ({reason}).", toolkit.REMEDY) from error
    return library


@cache
def _nvrtc_release(path: Path, builtins: Path) -> str:
    """NVRTC itself tells major and minor only; the assembler's full version stands in the PTX it writes."""
    library = _nvrtc(path, builtins)
    text = _by_nvrtc(library, 'extern "C" __global__ void probe_empty() {}', "compute_90", ())
    match = re.search(rb"release [\d.]+, V([\d.]+)", text)
    if match:
        return match[1].decode()
    major, minor = ctypes.c_int(), ctypes.c_int()
    library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


def _by_nvrtc(library: ctypes.CDLL, text: str, architecture: str, options: tuple[str, ...]) -> bytes:
    program = ctypes.c_void_p()
    given = [option.encode() for option in (f"--gpu-architecture={architecture}", *OPTIONS, *options)]
    code = library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"unit.cu", 0, None, None)
    if code:
        raise CompileError(f"NVRTC: {library.nvrtcGetErrorString(code).decode()}")
    try:
        code = library.nvrtcCompileProgram(program, len(given), (ctypes.c_char_p * len(given))(*given))
        if code:
            log = _read(library, "ProgramLog", program).rstrip(b"\0").decode(errors="replace").strip()
            raise CompileError(log or f"NVRTC: {library.nvrtcGetErrorString(code).decode()}")
        if architecture.startswith("compute_"):
            return _read(library, "PTX", program).rstrip(b"\0")
        return _read(library, "CUBIN", program)
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


def _read(library: ctypes.CDLL, what: str, program: ctypes.c_void_p) -> bytes:
    size = ctypes.c_size_t()
    getattr(library, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    getattr(library, f"nvrtcGet{what}")(program, buffer)
    return buffer.raw


@cache
def _nvcc_targets(nvcc: Path) -> tuple[int, ...]:
    done = subprocess.run([nvcc, "--list-gpu-arch"], capture_output=True, timeout=60, check=False)
    return tuple(int(n) for n in re.findall(rb"compute_(\d+)\b", done.stdout))


def _by_nvcc(nvcc: Path, text: str, architecture: str, options: tuple[str, ...]) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        source, result = Path(folder, "unit.cu"), Path(folder, "unit.out")
        source.write_text(text)
        kind = "-ptx" if architecture.startswith("compute_") else "-cubin"
        given = (kind, f"-arch={architecture}", *OPTIONS, *options)
        command = [str(nvcc), *given, "-o", str(result), str(source)]
        done = subprocess.run(command, capture_output=True, timeout=600, check=False)
        if done.returncode:
            log = (done.stderr + done.stdout).decode(errors="replace").replace(f"{folder}/", "")
            raise CompileError(log.strip() or f"nvcc ended with code {done.returncode}")
        return result.read_bytes()
