"""One toolchain, one cache and one build of each target for all tests of this folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from reportgen.backends.base import Build
from reportgen.backends.cuda import compiler, toolkit
from reportgen.backends.cuda.builder import CudaBuilder
from reportgen.backends.cuda.launcher import CudaLauncher
from reportgen.errors import BackendUnavailable
from tests.simulated.host_gpu import HostGpu
from tests.unit.backends.cuda import kernels
from tests.unit.backends.cuda.points import DEVICE

Builds = Callable[[str], dict[str, Build]]
"""Target -> builds of its forms by their names."""


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Programs of these tests are cached for this run only, for all its workers together."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cuda-cache"
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(folder)
    yield folder
    if before is None:
        del os.environ["XDG_CACHE_HOME"]
    else:
        os.environ["XDG_CACHE_HOME"] = before


@pytest.fixture(scope="session")
def toolchain() -> str:
    """What compiles here; without the `cuda` extra the test is skipped, with the reason."""
    try:
        toolkit.release(toolkit.find().nvdisasm)
        return compiler.fingerprint()
    except BackendUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def good(toolchain: str) -> Builds:
    """Forms that are right, built for a target once."""
    return cache(lambda target: _built(target, kernels.good(target)))


@pytest.fixture(scope="session")
def naive(toolchain: str) -> Builds:
    """Forms that the compiler spoils, built for a target once."""
    return cache(lambda target: _built(target, kernels.naive(target)))


def _built(target: str, sources: list[kernels.Source]) -> dict[str, Build]:
    if int(target[3:].rstrip("af")) not in compiler.supported():
        pytest.skip(f"{compiler.fingerprint()} does not build for {target}")
    return {build.point: build for build in CudaBuilder().build_many(sources, jobs=1)}


@pytest.fixture(scope="module")
def launcher(toolchain: str) -> tuple[CudaLauncher, HostGpu]:
    """An sm_90 device whose memory is host memory."""
    gpu = HostGpu()
    return CudaLauncher(0, DEVICE, gpu), gpu
