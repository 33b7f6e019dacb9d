"""Kernels that go past pycuda take the variables of their module with them."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from reportgen.backends.cuda import binding, pycuda_binding
from reportgen.backends.cuda.pycuda_binding import PycudaBinding
from reportgen.errors import DeviceLost, LaunchError


class Own:
    """A module or a kernel of pycuda's."""

    def __init__(self) -> None:
        self.launched = 0

    def get_function(self, name: str) -> Own:
        return Own()

    def get_global(self, name: str) -> tuple[int, int]:
        return 1000, 8

    def __call__(self, *arguments: object, **shape: object) -> None:
        self.launched += 1


class Rest:
    """The driver without pycuda."""

    def __init__(self) -> None:
        self.done: list[tuple[str, Any]] = []
        self.code = 0

    def spoilt(self) -> int:
        return self.code

    def load(self, cubin: bytes) -> str:
        self.done.append(("load", cubin))
        return "module"

    def function(self, module: str, name: str) -> str:
        return f"{module}.{name}"

    def variable(self, module: str, name: str) -> tuple[int, int]:
        return 2000, 8

    def set_function_attribute(self, function: str, which: int, value: int) -> None:
        self.done.append((function, (which, value)))

    def launch(self, function: str, *rest: object) -> None:
        self.done.append(("launch", function))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> tuple[PycudaBinding, Rest]:
    driver = ModuleType("pycuda.driver")
    driver.Error = RuntimeError  # type: ignore[attr-defined]
    driver.module_from_buffer = lambda cubin: Own()  # type: ignore[attr-defined]
    package = ModuleType("pycuda")
    package.driver = driver  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "pycuda", package)
    monkeypatch.setitem(sys.modules, "pycuda.driver", driver)
    rest = Rest()
    monkeypatch.setattr(pycuda_binding, "CtypesBinding", lambda: rest)
    return PycudaBinding(), rest


def test_a_kernel_that_needs_nothing_stays_with_pycuda(opened: tuple[PycudaBinding, Rest]) -> None:
    made, rest = opened
    module = made.load(b"cubin")
    kernel = made.function(module, "probe_x")
    assert made.variable(module, "nodes_x") == (1000, 8)
    made.launch(kernel, (1, 1, 1), (32, 1, 1), 0, [(1, 8), (2, 4)])
    assert kernel.own.launched == 1
    assert rest.done == []


def test_a_module_is_past_pycuda_as_a_whole(opened: tuple[PycudaBinding, Rest]) -> None:
    made, rest = opened
    module = made.load(b"cubin")
    one, other = made.function(module, "probe_x"), made.function(module, "probe_y")
    made.set_function_attribute(one, binding.CARVE_OUT, 0)
    assert made.variable(module, "nodes_x") == (2000, 8)
    for kernel in (one, other):
        made.launch(kernel, (1, 1, 1), (32, 1, 1), 0, [(1, 8)])
        assert kernel.own.launched == 0
    assert rest.done == [
        ("load", b"cubin"),
        ("module.probe_x", (binding.CARVE_OUT, 0)),
        ("launch", "module.probe_x"),
        ("launch", "module.probe_y"),
    ]


@pytest.mark.parametrize(
    ("words", "code", "kind"),
    [
        ("operation not supported on global/shared address space", 717, DeviceLost),
        ("operation not supported", 0, LaunchError),
        ("out of memory", 0, MemoryError),
        ("out of memory", 700, DeviceLost),  # the context was spoilt before
        ("words that no driver said yet", 718, DeviceLost),
        ("words that no driver said yet", 0, LaunchError),
    ],
)
def test_whether_the_context_is_spoilt_the_driver_is_asked(
    opened: tuple[PycudaBinding, Rest], words: str, code: int, kind: type[Exception]
) -> None:
    made, rest = opened
    rest.code = code

    def fails() -> None:
        raise RuntimeError(words)

    with pytest.raises(kind) as raised:
        made._call("cuCtxSynchronize", fails)
    assert type(raised.value) is kind
