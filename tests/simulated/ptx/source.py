"""Which PTX belongs to the code that a launcher loads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from reportgen.backends.cuda import compiler, targets
from reportgen.backends.cuda.compiler import Kernel
from reportgen.errors import CompileError


@dataclass
class Sources:
    """Text of every unit that was compiled meanwhile, by its cubin."""

    texts: dict[bytes, tuple[str, str]] = field(default_factory=dict)
    """Cubin -> CUDA C++, target."""
    _ptx: dict[tuple[str, str], str] = field(default_factory=dict)

    def ptx(self, code: bytes) -> str:
        """PTX of the same sources; code that is PTX is taken as it is.

        Raises:
            KeyError: nobody compiled it here.
        """
        if code[:4] != b"\x7fELF":
            return code.decode()
        text, target = self.texts[code]
        if (text, target) not in self._ptx:
            self._ptx[text, target] = translate(text, target)
        return self._ptx[text, target]

    @contextmanager
    def remembered(self) -> Iterator[None]:
        """Whatever the compiler makes of several kernels is remembered with its text."""
        before = compiler._compile_unit

        def remember(unit: list[Kernel], target: str) -> dict[str, bytes | CompileError]:
            made = before(unit, target)
            cubins = {code for code in made.values() if isinstance(code, bytes)}
            for code in cubins:
                one = [kernel for kernel in unit if made[kernel.name] == code]
                self.texts.setdefault(code, (compiler._join(one), target))
            return made

        compiler._compile_unit = remember
        try:
            yield
        finally:
            compiler._compile_unit = before


def translate(text: str, target: str) -> str:
    """PTX of a target."""
    return compiler._translate(text, targets.parse(target).virtual).decode()


def together(kernels: Sequence[Kernel], target: str, most: int = compiler.UNIT) -> dict[str, str]:
    """Name -> PTX of the unit that holds the kernel; those that go alone are left out."""
    those = [kernel for kernel in kernels if not compiler._ALONE.search(kernel.text)]
    found: dict[str, str] = {}
    for start in range(0, len(those), most):
        unit = those[start : start + most]
        text = translate(compiler._join(unit), target)
        found |= {kernel.name: text for kernel in unit}
    return found
