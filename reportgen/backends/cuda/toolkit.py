"""Where the CUDA compiler and the disassembler are: PyPI wheels first, else a system toolkit.

The wheels `nvidia-cuda-nvrtc` and `nvidia-cuda-nvdisasm` bring all that is needed: no driver, no host
compiler.  CUDA 13 wheels share one tree `nvidia/cu13/{bin,lib}`; CUDA 12 wheels have a tree each
(`nvidia/cuda_nvrtc`).  `REPORTGEN_CUDA` names another toolkit to look in before all others; what it lacks
(the CUDA 12 wheels have no `nvdisasm`) is taken from the next place.
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


def find() -> Toolkit:
    """The compiler and the disassembler to use.

    Raises:
        BackendUnavailable: one of them is missing, or half installed; says which.
    """
    asked, home, other, programs = (
        os.environ.get(name, "") for name in (VARIABLE, "CUDA_HOME", "CUDA_PATH", "PATH")
    )
    return search(_places(asked, home, other, programs, tuple(sys.path)))


@cache
def _places(asked: str, home: str, other: str, programs: str, path: tuple[str, ...]) -> tuple[Path, ...]:
    """Trees that hold `bin` and `lib`, looked for once: they are asked for often."""
    return tuple(_roots(asked, home, other, programs, path))


@cache
def search(roots: tuple[Path, ...]) -> Toolkit:
    """The first NVRTC (with its builtins), the first nvcc and the first nvdisasm in these roots.

    Raises:
        BackendUnavailable: there is no compiler, or NVRTC lacks its builtins, or there is no nvdisasm.
    """
    nvrtc = builtins = nvcc = nvdisasm = None
    orphan: Path | None = None
    for root in roots:
        library = _newest(root, "libnvrtc.so.*")
        if nvrtc is None and library is not None:
            builtins = _newest(root, "libnvrtc-builtins.so.*")
            if builtins is None:
                orphan = orphan or library
            else:
                nvrtc = library
        nvcc = nvcc or _program(root, "nvcc")
        nvdisasm = nvdisasm or _program(root, "nvdisasm")
    if nvrtc is None and nvcc is None:
        if orphan is not None:
            raise BackendUnavailable(
                f"the CUDA compiler is half installed: '{orphan.name}' is there without libnvrtc-builtins.",
                "Run: pip install --force-reinstall nvidia-cuda-nvrtc",
            )
        raise BackendUnavailable("no CUDA compiler is here: neither NVRTC nor nvcc.", REMEDY)
    if nvdisasm is None:
        raise BackendUnavailable("the CUDA disassembler nvdisasm is missing.", REMEDY)
    return Toolkit(nvrtc, builtins, nvcc, nvdisasm)


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
