from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.errors import UserError
from reportgen.suite.location import probes_root


def test_this_checkout_has_its_suite() -> None:
    assert (probes_root() / "instructions").is_dir()


def test_a_checkout_has_probes_beside_the_package(tmp_path: Path) -> None:
    package = tmp_path / "reportgen"
    (tmp_path / "probes" / "instructions").mkdir(parents=True)
    assert probes_root(package) == tmp_path / "probes"


def test_the_copy_in_a_wheel_wins_over_a_stranger_of_the_same_name(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "reportgen"
    (package / "_probes" / "instructions").mkdir(parents=True)
    (package.parent / "probes" / "instructions").mkdir(parents=True)
    assert probes_root(package) == package / "_probes"


def test_no_suite_is_one_clear_line(tmp_path: Path) -> None:
    (tmp_path / "probes").mkdir()
    with pytest.raises(UserError, match=r"neither .*_probes nor .*probes holds 'instructions/'") as caught:
        probes_root(tmp_path / "reportgen")
    assert "pip install -e ." in caught.value.remedy
