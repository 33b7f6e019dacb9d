"""Runs that are derived in processes of their own: the same files, and faults are left to rendering."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from reportgen.runs.schema import SAMPLES
from reportgen.site import ahead
from reportgen.site.render import Renderer
from tests.unit.site.conftest import Rendered


def refuse(*_: object, **__: object) -> None:
    raise AssertionError("must have been done ahead")


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_two_renders_are_byte_identical_and_so_is_what_is_derived_ahead(
    rendered: Rendered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By processes of other hash seeds than the first render's."""
    monkeypatch.setattr(ahead, "ENOUGH", 2)
    monkeypatch.setattr(ahead, "_cores", lambda: 2)
    monkeypatch.setattr("reportgen.model.derive.derive_bundle", refuse)
    site = Renderer(rendered.data, tmp_path, rendered.renderer.links, rendered.renderer.site_url).render()
    assert not site.warnings
    assert files(tmp_path) == files(rendered.cache)


def test_a_damaged_run_is_left_to_rendering(
    rendered: Rendered, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "ENOUGH", 1)
    monkeypatch.setattr(ahead, "_cores", lambda: 2)
    runs = []
    for name in ("one", "other"):
        runs.append(tmp_path / name)
        shutil.copytree(rendered.newer, runs[-1])
        (runs[-1] / SAMPLES).write_bytes(b"short")
    ahead.derive(runs, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize(("runs", "cores"), [(ahead.ENOUGH - 1, 8), (ahead.ENOUGH, 1), (0, 8)])
def test_few_runs_or_a_single_core_start_no_process(
    runs: int, cores: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("subprocess.Popen", refuse)
    monkeypatch.setattr(ahead, "_cores", lambda: cores)
    ahead.derive([tmp_path / str(number) for number in range(runs)], tmp_path)


def test_shares_are_even_and_no_more_than_runs(tmp_path: Path) -> None:
    runs = []
    for size in (10, 1, 1, 9, 8, 1):
        runs.append(tmp_path / str(len(runs)))
        runs[-1].mkdir()
        (runs[-1] / SAMPLES).write_bytes(b"." * size)
    shares = ahead._shared(runs, 3)
    assert sorted(path for share in shares for path in share) == sorted(runs)
    assert sorted(sum(ahead._weight(path) for path in share) for share in shares) == [10, 10, 10]
    assert [len(share) for share in ahead._shared(runs, 64)] == [1] * len(runs)
