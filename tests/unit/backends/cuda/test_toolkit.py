"""Toolkits that are there, half there, and not there."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from reportgen.backends.cuda import compiler, toolkit
from reportgen.errors import BackendUnavailable


def put(root: Path, *names: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#!/bin/sh\nexit 1\n")
        path.chmod(0o755)
    return root


NVRTC = ("lib/libnvrtc.so.13", "lib/libnvrtc-builtins.so.13.5")


def test_wheels(tmp_path: Path) -> None:
    root = put(tmp_path / "site-packages" / "nvidia" / "cu13", *NVRTC, "bin/nvdisasm")
    found = toolkit.search((root,))
    assert found.nvrtc == root / "lib/libnvrtc.so.13"
    assert found.nvdisasm == root / "bin/nvdisasm"
    assert found.nvcc is None
    assert found.origin == "PyPI"


def test_the_newest_of_several_and_not_the_alternative_build(tmp_path: Path) -> None:
    root = put(
        tmp_path, "lib64/libnvrtc.so.12", "lib64/libnvrtc.so.12.9.86", "lib64/libnvrtc.alt.so.12.9.86",
        "lib64/libnvrtc-builtins.so.12.9.86", "lib64/libnvrtc-builtins.alt.so.12.9", "bin/nvdisasm",
    )  # fmt: skip
    found = toolkit.search((root,))
    assert found.nvrtc is not None
    assert found.builtins is not None
    assert (found.nvrtc.name, found.builtins.name) == ("libnvrtc.so.12.9.86", "libnvrtc-builtins.so.12.9.86")
    assert found.origin == "system"


def test_compiler_and_disassembler_may_come_from_two_places(tmp_path: Path) -> None:
    old, new = put(tmp_path / "cuda_nvrtc", *NVRTC), put(tmp_path / "cu13", *NVRTC, "bin/nvdisasm")
    found = toolkit.search((old, new))
    assert found.nvrtc is not None
    assert found.nvrtc.is_relative_to(old)
    assert found.nvdisasm.is_relative_to(new)


def test_nothing(tmp_path: Path) -> None:
    with pytest.raises(BackendUnavailable) as caught:
        toolkit.search((tmp_path,))
    assert str(caught.value) == (
        "no CUDA compiler is here: neither NVRTC nor nvcc. Run: pip install 'reportgen[cuda-toolchain]'"
    )


def test_half_installed(tmp_path: Path) -> None:
    root = put(tmp_path, "lib/libnvrtc.so.13", "bin/nvdisasm")
    with pytest.raises(BackendUnavailable, match=r"half installed: 'libnvrtc.so.13' .* --force-reinstall"):
        toolkit.search((root,))


def test_no_disassembler(tmp_path: Path) -> None:
    with pytest.raises(
        BackendUnavailable, match=r"nvdisasm is missing. Run: pip install 'reportgen\[cuda-toolchain\]'"
    ):
        toolkit.search((put(tmp_path, *NVRTC),))


def test_nvcc_alone_will_do(tmp_path: Path) -> None:
    found = toolkit.search((put(tmp_path, "bin/nvcc", "bin/nvdisasm"),))
    assert (found.nvrtc, found.nvcc) == (None, tmp_path / "bin/nvcc")


def released(root: Path, version: str) -> Path:
    """A tree with an nvcc that says which one it is."""
    put(root, "bin/nvcc")
    (root / "bin/nvcc").write_text(
        f"#!/bin/sh\necho 'Cuda compilation tools, release {version}, V{version}.88'\n"
    )
    return root


def test_a_compiler_that_is_no_newer_than_the_driver_goes_first(tmp_path: Path) -> None:
    new = put(tmp_path / "new", *NVRTC, "bin/nvdisasm")
    same = put(tmp_path / "same", "lib/libnvrtc.so.13", "lib/libnvrtc-builtins.so.13.0")
    nvcc = released(tmp_path / "nvcc", "13.0")
    assert toolkit.search((new, same, nvcc)).nvrtc == new / NVRTC[0]
    found = toolkit.search((new, same, nvcc), 13000)
    assert (found.nvrtc, found.builtins) == (
        same / "lib/libnvrtc.so.13",
        same / "lib/libnvrtc-builtins.so.13.0",
    )
    assert found.nvdisasm == new / "bin/nvdisasm"
    found = toolkit.search((new, nvcc), 13000)
    assert (found.nvrtc, found.builtins, found.nvcc) == (None, None, nvcc / "bin/nvcc")
    # a newer one is better than none
    assert toolkit.search((new, released(tmp_path / "later", "13.1")), 13000).nvrtc == new / NVRTC[0]
    assert toolkit.search((new, put(tmp_path / "broken", "bin/nvcc")), 13000).nvrtc == new / NVRTC[0]
    assert toolkit.search((new, nvcc), 13050).nvrtc == new / NVRTC[0]


def test_what_the_driver_serves_is_told_to_all_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "nvidia" / "cu13", *NVRTC, "bin/nvdisasm")
    nvcc = released(tmp_path / "system", "13.0")
    monkeypatch.delenv(toolkit.VARIABLE, raising=False)
    monkeypatch.setenv(toolkit.SERVES, "")
    monkeypatch.setenv("CUDA_HOME", str(nvcc))
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    toolkit.serve(0)
    assert toolkit.find().nvrtc is not None
    toolkit.serve(13000)
    assert toolkit.find().nvcc == nvcc / "bin/nvcc"
    assert toolkit.find().nvrtc is None
    # who names a toolkit gets it
    monkeypatch.setenv(toolkit.VARIABLE, str(tmp_path / "nvidia" / "cu13"))
    assert toolkit.find().nvrtc is not None


def test_a_library_that_cannot_be_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = toolkit.search((put(tmp_path, *NVRTC, "bin/nvdisasm"),))
    monkeypatch.setattr(toolkit, "find", lambda: found)
    with pytest.raises(BackendUnavailable, match=r"NVRTC cannot be loaded .*pip install") as caught:
        compiler.supported()
    assert str(tmp_path) not in str(caught.value)


def test_a_disassembler_that_does_not_run(tmp_path: Path) -> None:
    with pytest.raises(BackendUnavailable, match="'nvdisasm' does not run"):
        toolkit.release(put(tmp_path, "bin/nvdisasm") / "bin/nvdisasm")


def test_the_variable_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = put(tmp_path, *NVRTC, "bin/nvdisasm")
    monkeypatch.setenv(toolkit.VARIABLE, str(root))
    assert toolkit.find().nvdisasm == root / "bin/nvdisasm"


def test_site_packages_are_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(tmp_path / "nvidia" / "cu13", *NVRTC, "bin/nvdisasm")
    monkeypatch.delenv(toolkit.VARIABLE, raising=False)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert toolkit.find().nvdisasm.is_relative_to(tmp_path)
