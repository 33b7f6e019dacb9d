"""Toolchain runs from end to end with the real compiler: collect, verify, derive, and the site over them.

Skipped, with the reason, where the wheels of the extra `cuda-toolchain` are missing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from mkdocs.commands.build import build

from reportgen.cli.main import main
from reportgen.findings.finding import Claim
from reportgen.findings.lint import offences_in_html
from reportgen.model.derive import Derived, derive_bundle
from reportgen.runs import read as bundles
from reportgen.runs import store
from reportgen.status import Status
from tests.integration.site_checks import configuration, dead_links, read

TARGETS = ("sm_75", "sm_86", "sm_90", "sm_100", "sm_120")
OPERATIONS = ("fp32_fma", "integer_mad", "integer_logic", "integer_add", "fp64_fma", "popcnt", "fp32x2_fma")
ASKED = ",".join([*(f"instruction_latency/{name}" for name in OPERATIONS), "instruction_throughput/fp32_fma"])
GENERATED = ("devices", "targets", "compare", "hypotheses")
"""Folders of pages that the plugin makes of runs."""
SLOW = ",gpu_execution/register_pressure"
"""Many large kernels, which differ little from target to target: compiled for one of them."""


@pytest.fixture(scope="module", autouse=True)
def toolchain() -> str:
    from reportgen.backends.cuda import compiler, toolkit
    from reportgen.errors import BackendUnavailable

    try:
        toolkit.release(toolkit.find().nvdisasm)
        return compiler.fingerprint()
    except BackendUnavailable as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Nothing of an earlier run is taken, and nothing is left behind."""
    before = os.environ.get("XDG_CACHE_HOME")
    os.environ["XDG_CACHE_HOME"] = str(tmp_path_factory.mktemp("cuda-cache"))
    yield
    if before is None:
        del os.environ["XDG_CACHE_HOME"]
    else:
        os.environ["XDG_CACHE_HOME"] = before


def call(*words: str | Path) -> Result:
    result = CliRunner().invoke(main, [str(word) for word in words], env={"COLUMNS": "200"})
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def collect(data: Path, target: str, asked: str = ASKED) -> Result:
    return call("collect", "--device", target, "--data", data, "--probes", asked)


@pytest.fixture(scope="module")
def data(toolchain: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    for target in TARGETS:
        result = collect(folder, target, ASKED + SLOW * (target == "sm_90"))
        assert result.exit_code == 0, result.output
        assert "nothing was timed on a device" in result.output
    return folder


@pytest.fixture(scope="module")
def derived(data: Path) -> dict[str, Derived]:
    found = (derive_bundle(bundles.load(ref.path)) for ref in store.list_runs(data))
    return {one.bundle.run.device.isa: one for one in found}


def test_the_bundles_are_sound_and_listed(data: Path) -> None:
    assert call("runs", "verify", "--data", data).exit_code == 0
    listed = call("runs", "list", "--data", data).output
    assert all(target.replace("_", "-") in listed for target in TARGETS)
    shown = call("runs", "show", "sm-90", "--data", data)
    assert shown.exit_code == 0
    assert "0 samples" in shown.output


@pytest.mark.parametrize("target", TARGETS)
def test_ffma_imad_lop3_and_iadd3_keep_four_cycles(derived: dict[str, Derived], target: str) -> None:
    model = derived[target].architecture
    for operation in ("fp32_fma", "integer_mad", "integer_logic", "integer_add"):
        fact = model.fact(f"encoded.latency.{operation}")
        assert (fact.value, fact.claim) == (4, Claim.COMPILER_ENCODED), operation
    window = model.fact("encoded.window.fp32_fma").value
    assert window is not None
    # 31 distances, the last stall of 1 or more, and that of the first clock read.
    assert 4 * 31 + 2 <= window <= 4 * 31 + 12
    assert target != "sm_90" or window == 128


def test_what_differs_between_targets_comes_out(derived: dict[str, Derived]) -> None:
    fp64 = {target: derived[target].architecture.fact("encoded.latency.fp64_fma") for target in TARGETS}
    assert fp64["sm_90"].value == 8
    assert fp64["sm_86"].reason.startswith("scoreboard")
    assert all(
        one.architecture.fact("encoded.latency.popcnt").reason.startswith("scoreboard")
        for one in derived.values()
    )
    packed = {target: derived[target].architecture.fact("encoded.latency.fp32x2_fma") for target in TARGETS}
    assert packed["sm_100"].value == 4
    assert packed["sm_86"].status is Status.UNSUPPORTED
    assert "sm_100 or newer" in packed["sm_86"].reason


def test_no_point_is_left_unexplained(derived: dict[str, Derived]) -> None:
    for one in derived.values():
        for point in one.bundle.run.points:
            assert point.status in (Status.OK, Status.UNSUPPORTED, Status.SKIPPED), point
            assert point.status is Status.OK or point.reason, point


def test_a_second_run_takes_its_programs_from_the_cache(data: Path, tmp_path: Path) -> None:
    assert collect(tmp_path, "sm_90", ASKED + SLOW).exit_code == 0
    (again,) = (bundles.load(ref.path) for ref in store.list_runs(tmp_path))
    first = bundles.load(store.resolve(data, "sm-90"))
    assert {p.id: p.program for p in again.run.points} == {p.id: p.program for p in first.run.points}
    # none was compiled and looked at, which takes its time
    assert (first.run.timing["verify"] > 0, again.run.timing["verify"]) == (True, 0)


@pytest.mark.parametrize(
    ("selector", "message"), [("sm_70", "'sm_70' is no longer built"), ("sm_95", "no target 'sm_95'")]
)
def test_a_target_that_cannot_be_built_for_is_one_line(tmp_path: Path, selector: str, message: str) -> None:
    result = collect(tmp_path, selector)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_the_site_over_them_is_strict_and_says_no_more_than_was_read(data: Path, tmp_path: Path) -> None:
    two, site = tmp_path / "data", tmp_path / "site"
    for device in ("sm-90", "sm-120"):
        shutil.copytree(data / device, two / device)
    build(configuration(two, tmp_path / "cache", site, strict=True))
    pages, texts = read(site)
    assert dead_links(site, pages) == []
    about = [path for path in texts if "sm-90" in path.parts or "targets" in path.parts]
    assert len(about) >= 8
    assert [path for path in about if "othing was measured on a device" not in texts[path]] == []
    # hand-written pages are read in test_site_build.py
    made = [path for path in texts if path.relative_to(site).parts[0] in GENERATED]
    assert set(about) < set(made)
    assert [(path, found) for path in made if (found := offences_in_html(texts[path]))] == []
    for path, page in pages.items():
        assert {name for name in page.ids if page.ids.count(name) > 1} == set(), path
