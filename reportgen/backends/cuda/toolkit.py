"""Where the CUDA compiler and the disassembler are: PyPI wheels first, else a system toolkit.

The wheels `nvidia-cuda-nvrtc` and `nvidia-cuda-nvdisasm` bring all that is needed: no driver, no host
compiler.  CUDA 13 wheels share one tree `nvidia/cu13/{bin,lib}`; CUDA 12 wheels have a tree each
(`nvidia/cuda_nvrtc`).  `REPORTGEN_CUDA` names another toolkit to look in before all others; what it lacks
((the CUDA 12 wheels have no `nvdisasm`) is taken from the next place.

Where there is a driver, a compiler that is no newer goes before one that is: drivers take cubins of their own
version for certain, and of newer ones only perhaps.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from reportgen.errors import BackendUnavailable

REMEDY = "Run: pip install 'reportgen[cuda-toolchain]'"
VARIABLE = "REPORTGEN_CUDA"
"""Environment variable: root of a toolkit that goes before all others."""
SERVES = "REPORTGEN_CUDA_SERVES"
"""Environment variable: highest CUDA version that the driver here serves, 13000 for 13.0; see `serve`."""


@dataclass(frozen=True)
class Toolkit:
    """Paths of one compiler and one disassembler."""

    nvrtc: Path | None
    """`libnvrtc.so.13`; None where only `nvcc` is there."""
    builtins: Path | None
    """`libnvrtc-builtins.so.13.5`, which NVRTC opens by name."""
    nvcc: Path | None
    nvdisasm: Path

    @property
    def origin(self) -> str:
        """`PyPI` or `system`: which kind of installation the compiler is from.  Never a path."""
        compiler = self.nvrtc or self.nvcc
        return "PyPI" if compiler and "site-packages" in compiler.parts else "system"


def serve(version: int) -> None:
    """Here, and in all processes that are started from here, prefer compilers that a driver takes.

    Args:
        version: highest CUDA version that it serves, 13000 for 13.0; 0 changes nothing.
    """
    if version:
        os.environ[SERVES] = str(version)


def find() -> Toolkit:
    """The compiler and the disassembler to use.

    Raises:
        BackendUnavailable: one of them is missing, or half installed; says which.
    """
    asked, home, other, programs = (
        os.environ.get(name, "") for name in (VARIABLE, "CUDA_HOME", "CUDA_PATH", "PATH")
    )
    served = os.environ.get(SERVES, "")
    newest = int(served) if served.isdigit() and not asked else 0
    return search(_places(asked, home, other, programs, tuple(sys.path)), newest)


@cache
def _places(asked: str, home: str, other: str, programs: str, path: tuple[str, ...]) -> tuple[Path, ...]:
    """Trees that hold `bin` and `lib`, looked for once: they are asked for often."""
    return tuple(_roots(asked, home, other, programs, path))


@cache
def search(roots: tuple[Path, ...], newest: int = 0) -> Toolkit:
    """The first NVRTC (with its builtins), the first nvcc and the first nvdisasm in these roots.

    Args:
        roots: trees, those to be preferred first.
        newest: 13000: compilers up to CUDA 13.0 are preferred; 0: none is.

    Raises:
        BackendUnavailable: there is no compiler, or NVRTC lacks its builtins, or there is no nvdisasm.
    """
    libraries: list[tuple[Path, Path]] = []
    programs: list[Path] = []
    nvdisasm: Path | None = None
    orphan: Path | None = None
    for root in roots:
        library, builtins = _newest(root, "libnvrtc.so.*"), _newest(root, "libnvrtc-builtins.so.*")
        if library is not None and builtins is not None:
            libraries.append((library, builtins))
        elif library is not None:
            orphan = orphan or library
        program = _program(root, "nvcc")
        programs += [program] if program is not None else []
        nvdisasm = nvdisasm or _program(root, "nvdisasm")
    if not libraries and not programs:
        if orphan is not None:
            raise BackendUnavailable(
                f"the CUDA compiler is half installed: '{orphan.name}' is there without libnvrtc-builtins.",
                "Run: pip install --force-reinstall nvidia-cuda-nvrtc",
            )
        raise BackendUnavailable("no CUDA compiler is here: neither NVRTC nor nvcc.", REMEDY)
    if nvdisasm is None:
        raise BackendUnavailable("the CUDA disassembler nvdisasm is missing.", REMEDY)
    return _chosen(libraries, programs, nvdisasm, newest)


def _chosen(libraries: list[tuple[Path, Path]], programs: list[Path], nvdisasm: Path, newest: int) -> Toolkit:
    """NVRTC before nvcc, but whatever is no newer than `newest` before what is."""
    nvcc = programs[0] if programs else None
    if newest:
        for nvrtc, builtins in libraries:
            if _number(builtins.name.partition(".so.")[2]) <= newest:
                return Toolkit(nvrtc, builtins, nvcc, nvdisasm)
        for program in programs:
            if _number(_released(program)) <= newest:
                return Toolkit(None, None, program, nvdisasm)
    nvrtc_first, builtins_first = libraries[0] if libraries else (None, None)
    return Toolkit(nvrtc_first, builtins_first, nvcc, nvdisasm)


def _number(release: str) -> float:
    """`13.5.37` -> 13050; what is no number is newer than all."""
    parts = re.findall(r"\d+", release)
    return 1000 * int(parts[0]) + 10 * int(parts[1] if len(parts) > 1 else 0) if parts else float("inf")


def _released(program: Path) -> str:
    try:
        return release(program)
    except BackendUnavailable:
        return ""


def _roots(asked: str, home: str, other: str, programs: str, path: tuple[str, ...]) -> Iterator[Path]:
    """In the order in which they are to be preferred."""
    if asked:
        yield Path(asked)
    for entry in map(Path, path):
        packages = entry / "nvidia"
        if packages.is_dir():
            yield from sorted(packages.glob("cu[0-9]*"), reverse=True)
            yield from (packages / "cuda_nvrtc", packages / "cuda_nvcc")
    yield from (Path(root) for root in (home, other) if root)
    for name in ("nvcc", "nvdisasm"):
        program = shutil.which(name, path=programs)
        if program:
            yield Path(program).resolve().parent.parent
    yield Path("/usr/local/cuda")


def _newest(root: Path, pattern: str) -> Path | None:
    """The library of the highest version below `lib`, `lib64` or `targets/*/lib`."""
    found = [
        path
        for folder in ("lib", "lib64", "targets/*/lib")
        for path in root.glob(f"{folder}/{pattern}")
        if ".alt." not in path.name
    ]
    return max(found, key=lambda path: [int(n) for n in re.findall(r"\d+", path.name)], default=None)


def _program(root: Path, name: str) -> Path | None:
    path = root / "bin" / name
    return path if path.is_file() and os.access(path, os.X_OK) else None


@cache
def release(program: Path) -> str:
    """`13.5.37`, from what `nvcc` or `nvdisasm` says with `--version`.

    Raises:
        BackendUnavailable: it does not start (built for another machine, half installed).
    """
    try:
        done = subprocess.run([program, "--version"], capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        raise BackendUnavailable(f"'{program.name}' does not run ({error}).", REMEDY) from error
    match = re.search(rb"release [\d.]+, V([\d.]+)", done.stdout)
    return match[1].decode() if match else "unknown"
