"""What readers call a device."""

from __future__ import annotations

import msgspec
import pytest

from tests.unit.findings.records import run


@pytest.mark.parametrize(
    ("isa", "toolchain", "expected"),
    [
        ("x86_64", {"cpu": "znver3"}, "AMD EPYC (znver3)"),
        ("x86_64", {}, "AMD EPYC"),
        ("sm_90", {"cpu": "znver3"}, "AMD EPYC"),
    ],
)
def test_cpus_of_one_name_are_told_apart(isa: str, toolchain: dict[str, str], expected: str) -> None:
    """Virtual machines name all CPUs of a maker alike; `cpu` of a GPU's run is its host."""
    found = run()
    device = msgspec.structs.replace(found.device, isa=isa, name="AMD EPYC")
    assert msgspec.structs.replace(found, device=device, toolchain=toolchain).title == expected
