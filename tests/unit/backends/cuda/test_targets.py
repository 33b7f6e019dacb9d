"""Names of targets: known, dropped, unknown, and suffixes they do not take."""

from __future__ import annotations

import pytest

from reportgen.backends.cuda import targets
from reportgen.errors import UserError


def test_parts_of_a_name() -> None:
    target = targets.parse("sm_100f")
    assert (target.number, target.suffix, target.base) == (100, "f", "sm_100")
    assert (target.virtual, target.capability) == ("compute_100f", (10, 0))
    assert targets.parse("sm_121").capability == (12, 1)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("sm_99", "no target 'sm_99'. There are sm_75, "),
        ("sm90", "no target 'sm90'"),
        ("compute_90", "no target"),
        ("", "no target ''"),
        ("sm_90f", "takes no suffix 'f'. Choose sm_90, sm_90a"),
        ("sm_86a", "takes no suffix 'a'. Choose sm_86."),
        ("sm_70", "no longer built: CUDA 12.9 was the last that could. Choose one of sm_75, "),
        ("sm_101", "since then it is sm_110"),
    ],
)
def test_what_is_no_target(name: str, says: str) -> None:
    with pytest.raises(UserError) as caught:
        targets.parse(name)
    assert says in str(caught.value)


def test_a_target_that_this_toolkit_lacks_lists_what_it_builds() -> None:
    with pytest.raises(UserError) as caught:
        targets.require("sm_121", [90, 75], "NVRTC 12.2")
    assert str(caught.value).startswith("NVRTC 12.2 does not build for 'sm_121'. It builds for sm_75, sm_90;")


def test_device_of_a_target() -> None:
    device = targets.device(targets.parse("sm_100"))
    assert (device.id, device.isa, device.backend) == ("sm-100", "sm_100", "cuda")
    assert device.features == ("a", "f")
    assert targets.device(targets.parse("sm_90")).features == ("a",)
    assert targets.device(targets.parse("sm_86")).features == ()
