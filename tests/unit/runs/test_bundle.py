"""A bundle is sealed whole, read back as it was, and says which of its files is not what was sealed."""

from __future__ import annotations

import errno
import gzip
from pathlib import Path

import msgspec
import pytest

from reportgen.errors import BundleError, RunRefused
from reportgen.runs import disk, manifest, programs, read, store, write
from reportgen.runs.schema import SAMPLE_COLUMNS, SCHEMA_VERSION, Run
from reportgen.runs.verify import verify
from tests.simulated.cpu import make_records
from tests.simulated.instruction_points import latency_probes
from tests.simulated.truth import CpuTruth


def sealed(data: Path, seed: int = 1) -> Path:
    run, columns, recorded = records(seed)
    return write.seal(data / run.device.id / run.run, run, columns, recorded)


def records(seed: int = 1):
    run, columns, recorded = make_records(CpuTruth(), seed, lambda truth: latency_probes(truth)[:2])
    return run, {name: column.tolist() for name, column in columns.items()}, recorded


def test_what_was_sealed_is_read_back(tmp_path: Path) -> None:
    run, columns, recorded = records()
    path = sealed(tmp_path)
    bundle = read.load(path)
    assert msgspec.structs.replace(bundle.run, files={}) == run
    assert bundle.columns() == columns
    assert bundle.programs == {program.sha256: program for program in recorded}
    assert list(bundle.samples.columns) == list(SAMPLE_COLUMNS)
    assert str(bundle.samples["point"].dtype) == str(bundle.samples["gate"].dtype) == "category"
    assert str(bundle.samples["pass"].dtype) == "int8"
    assert verify(path) == []
    assert [ref.path for ref in store.list_runs(tmp_path)] == [path]
    assert not list(tmp_path.rglob("*.partial"))


def test_equal_programs_give_equal_bytes() -> None:
    _, _, recorded = records()
    packed = programs.pack(recorded)
    assert packed == programs.pack([*reversed(recorded), recorded[0]])
    assert len(gzip.decompress(packed).splitlines()) == len({program.sha256 for program in recorded})


def test_programs_lie_beside_those_that_they_are_like() -> None:
    _, _, recorded = records()
    sources = [program.source for program in programs.unpack(programs.pack(recorded)).values()]
    assert sources == sorted(sources)
    by_digest = {one.sha256: one for one in sorted(recorded, key=lambda one: one.sha256)}
    older = gzip.compress(b"".join(msgspec.json.encode(one) + b"\n" for one in by_digest.values()))
    assert programs.unpack(older) == programs.unpack(programs.pack(recorded))


def test_a_manifest_leaves_out_what_absence_means() -> None:
    run, _, _ = records()
    first = msgspec.structs.replace(run.points[0], reason="", facts={}, accepted=0, stop="precise")
    written = msgspec.json.decode(manifest.encode(msgspec.structs.replace(run, points=(first,))))
    assert not {"reason", "facts", "accepted"} & set(written["points"][0])
    assert {"id", "probe", "settings", "status", "stop"} <= set(written["points"][0])
    assert "supersedes" in written  # of the run itself every key is there


def test_a_manifest_with_every_key_is_read_alike(tmp_path: Path) -> None:
    """As they were written before."""
    path = sealed(tmp_path)
    before = read.load(path).run
    whole = msgspec.json.encode(before)
    assert len(whole) > len(manifest.encode(before).replace(b"\n  ", b""))
    (path / "run.json").write_bytes(whole)
    assert read.load(path).run == before
    assert verify(path) == []


def test_a_run_is_sealed_once(tmp_path: Path) -> None:
    sealed(tmp_path)
    with pytest.raises(RunRefused, match="never changed"):
        sealed(tmp_path)


def test_columns_that_are_not_those_of_the_schema_are_refused(tmp_path: Path) -> None:
    run, columns, recorded = records()
    with pytest.raises(ValueError, match="cpu"):
        write.seal(tmp_path / "d" / "r", run, {**columns, "cpu": [1 << 40] * len(columns["cpu"])}, recorded)
    del columns["cpu"]
    with pytest.raises(ValueError, match="missing or unknown: cpu"):
        write.seal(tmp_path / "d" / "r", run, columns, recorded)
    assert store.list_runs(tmp_path) == []


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "no space left"),
        (errno.EROFS, "cannot be written"),
        (errno.EIO, "failed"),
    ],
)
def test_a_disk_that_refuses_harms_no_sealed_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, words: str
) -> None:
    first = sealed(tmp_path)

    def refuse(handle: int, data: bytes) -> None:
        raise OSError(number, "refused")

    monkeypatch.setattr(disk, "append", refuse)
    with pytest.raises(RunRefused, match=words) as raised:
        sealed(tmp_path, seed=2)
    assert raised.value.remedy
    assert verify(first) == []
    assert [ref.path for ref in store.list_runs(tmp_path)] == [first]
    assert list(first.parent.iterdir()) == [first]


@pytest.mark.parametrize("name", ["samples.parquet", "programs.jsonl.gz", "run.json"])
@pytest.mark.parametrize("damage", ["truncated", "edited", "missing"])
def test_verify_names_the_file_that_is_not_what_was_sealed(tmp_path: Path, name: str, damage: str) -> None:
    path = sealed(tmp_path)
    file = path / name
    data = file.read_bytes()
    if damage == "truncated":
        file.write_bytes(data[: len(data) // 2])
    elif damage == "missing":
        file.unlink()
    elif name == "run.json":
        file.write_bytes(data.replace(b'"kernel": "6.8.0"', b'"kernel": "6.9.0"'))
    else:
        file.write_bytes(data[:-9] + b"tampering")
    faults = verify(path)
    assert faults
    assert all(fault.startswith(f"{name}: ") for fault in faults)
    if name != "run.json":
        bundle = read.load(path)
        with pytest.raises(BundleError, match=name):
            _ = bundle.samples if name == "samples.parquet" else bundle.programs
    elif damage != "edited":
        with pytest.raises(BundleError, match=r"run\.json"):
            read.load(path)


def test_verify_counts_the_samples(tmp_path: Path) -> None:
    run, columns, recorded = records()
    points = (msgspec.structs.replace(run.points[0], accepted=run.points[0].total), *run.points[1:])
    run = msgspec.structs.replace(run, points=points)
    (fault,) = verify(write.seal(tmp_path / "d" / "r", run, columns, recorded))
    assert run.points[0].id in fault
    run = msgspec.structs.replace(run, points=run.points[1:])
    (fault,) = verify(write.seal(tmp_path / "d" / "s", run, columns, recorded[1:]))
    assert "unknown point" in fault


def test_verify_misses_programs(tmp_path: Path) -> None:
    run, columns, recorded = records()
    (fault,) = verify(write.seal(tmp_path / "d" / "r", run, columns, recorded[1:]))
    assert fault.startswith("programs.jsonl.gz: lacks the program of")


def newer(path: Path) -> None:
    manifest = path / "run.json"
    now = f'"schema": {SCHEMA_VERSION}'.encode()
    manifest.write_bytes(manifest.read_bytes().replace(now, b'"schema": 99, "novelty": true', 1))


def test_a_bundle_of_a_newer_schema_names_both_versions_and_the_remedy(tmp_path: Path) -> None:
    path = sealed(tmp_path)
    newer(path)
    with pytest.raises(BundleError, match=rf"schema 99.*reads up to {SCHEMA_VERSION}") as raised:
        read.load(path)
    assert "pgrade" in raised.value.remedy
    (ref,) = store.list_runs(tmp_path)
    assert "schema 99" in ref.error
    assert "schema 99" in verify(path)[0]


def test_what_is_no_bundle_says_so(tmp_path: Path) -> None:
    with pytest.raises(BundleError, match="is not a folder"):
        read.load(tmp_path / "absent")
    with pytest.raises(BundleError, match=r"has no run\.json"):
        read.load(tmp_path)
    (tmp_path / "run.json").write_text('{"schema": 1}')
    with pytest.raises(BundleError, match=r"run\.json breaks its schema"):
        read.load(tmp_path)
    (tmp_path / "run.json").write_text("[]")
    with pytest.raises(BundleError, match="not a manifest"):
        read.load(tmp_path)


def test_runs_are_listed_newest_first_and_broken_ones_with_their_error(tmp_path: Path) -> None:
    old, new = sealed(tmp_path, 1), sealed(tmp_path, 5)
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "table").mkdir()
    (new.parent / "20200101T000000Z-00000000.partial").mkdir()
    (new.parent / f"{new.name}.partial").mkdir()
    (new.parent / "20200101T000000Z-11111111").mkdir()
    (new.parent / ".lock").touch()
    assert [ref.path.name for ref in store.list_runs(tmp_path)] == [
        new.name,
        old.name,
        "20200101T000000Z-11111111",
    ]
    assert [bool(ref.error) for ref in store.list_runs(tmp_path)] == [False, False, True]
    assert [ref.run for ref in store.list_partial(tmp_path)] == ["20200101T000000Z-00000000"]
    assert store.list_runs(tmp_path / "absent") == []


def test_a_run_is_found_by_every_name_it_goes_by(tmp_path: Path) -> None:
    old, new = sealed(tmp_path, 1), sealed(tmp_path, 5)
    device = new.parent.name
    for name in (str(new), new.name, f"{device}/{new.name}", device, "latest", new.name[:-3]):
        assert store.resolve(tmp_path, name) == new
    assert store.resolve(tmp_path, old.name) == old
    with pytest.raises(BundleError, match="several"):
        store.resolve(tmp_path, old.name[:4])
    with pytest.raises(BundleError, match="no run 'nothing'"):
        store.resolve(tmp_path, "nothing")
    with pytest.raises(BundleError, match=r"has no run\.json"):
        store.resolve(tmp_path, str(tmp_path))


def test_the_manifest_is_readable_without_reportgen(tmp_path: Path) -> None:
    path = sealed(tmp_path)
    plain = msgspec.json.decode((path / "run.json").read_bytes())
    assert msgspec.convert(plain, Run) == read.load(path).run


def test_what_may_not_be_read_is_one_line_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Permissions do not stop root, so the refusal is made up."""
    (tmp_path / "data" / "device").mkdir(parents=True)

    def refuse(path: Path) -> list[Path]:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "iterdir", refuse)
    with pytest.raises(BundleError, match=r"data' cannot be read \(Permission denied\)"):
        store.list_runs(tmp_path / "data")
    with pytest.raises(BundleError, match="File name too long"):
        store.resolve(tmp_path, "x" * 5000)
