"""Points that users give: what is read, and what is refused with a remedy."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.roofline.given import PointError, from_csv, from_option


def test_a_point_in_base_units_and_with_prefixes_is_the_same() -> None:
    plain = from_option("k,2e9,1.2e9,0.05", "dram", "fp32")
    assert from_option("k, 2 GFLOP, 1.2GB, 50 ms", "dram", "fp32") == plain
    assert (plain.work, plain.rate, plain.moved["dram"].least) == (2e9, 4e10, 1.2e9)
    assert plain.intensity() == pytest.approx(2 / 1.2)
    assert (plain.home, plain.unit, plain.low) == ("dram", "FLOP", plain.rate)


def test_a_name_may_hold_commas() -> None:
    assert from_option("gemm(64, 64), tiled,1,1,1", "l2", "fp32").name == "gemm(64, 64), tiled"


def test_integer_work_is_op() -> None:
    assert from_option("q,2 GOP,1e9,1", "dram", "int8").unit == "OP"
    assert from_option("q,2e9,1e9,1", "dram", "int8").unit == "OP"


REFUSED = [
    ("k,2e9,1e9,0", "time is zero", "time of one"),
    ("k,2e9,1e9,-1", "time is negative", ""),
    ("k,2e9,-5,1", "number of bytes is negative", ""),
    ("k,2e9,0,1", "number of bytes is zero", "--level"),
    ("k,0,1e9,1", "work is zero", "OP"),
    ("k,-1,1e9,1", "work is negative", ""),
    ("k,nan,1e9,1", "'nan'", "finite"),
    ("k,2e9,inf,1", "'inf'", "finite"),
    ("k,2 GFLOPS,1e9,1", "'GFLOPS' may be a count or a rate", "Write GFLOP"),
    ("k,2 gflops,1e9,1", "no unit of work", "FLOP"),
    ("k,2 GFLOPs,1e9,1", "may be a count or a rate", "Write GFLOP"),
    ("k,2 GOPS,1e9,1", "may be a count or a rate", "Write GOP"),
    ("k,2 GFLOP/s,1e9,1", "is a rate", "the time it took"),
    ("k,2G,1e9,1", "prefix and no unit", "2GFLOP"),
    ("k,2 GOP,1e9,1", "OP does not go with fp32", "Integer"),
    ("k,2e9,1 GiB,1", "binary prefix", "1073741824, or 1.07374 GB"),
    ("k,2e9,1.5 mib,1", "binary prefix", "1572864"),
    ("k,2e9,1 Gb,1", "is bits", "large B"),
    ("k,2e9,1 gb,1", "no unit of bytes", "large B"),
    ("k,2e9,1 GB/s,1", "is a rate", "not the bandwidth"),
    ("k,2e9,1G,1", "prefix and no unit", "1GB"),
    ("k,2e9,1e9,1 min", "no unit of time", "ms"),
    ("k,2e9,1e9,50m", "no unit of time", "ms"),
    ("k,1e308,1e-9,1", "too far apart", "units"),
    ("k,two,1e9,1", "'two' is no work", "2 GFLOP"),
    ("k,2e9,1e9", "not name,W,Q,T", "--point"),
    (",2e9,1e9,1", "not name,W,Q,T", "name"),
    ("k", "not name,W,Q,T", ""),
]


@pytest.mark.parametrize(("text", "message", "remedy"), REFUSED)
def test_what_has_two_readings_or_none_is_refused(text: str, message: str, remedy: str) -> None:
    with pytest.raises(PointError) as caught:
        from_option(text, "dram", "fp32")
    assert message in caught.value.message
    assert f"--point '{text}'" in caught.value.message
    assert remedy in caught.value.remedy
    assert caught.value.remedy


def written(folder: Path, text: str) -> Path:
    path = folder / "points.csv"
    path.write_bytes(text.encode())
    return path


def test_a_table_of_points(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "\ufeffName,FLOP,bytes,seconds,precision,level,source\r\n"
        '"gemm, tiled",2 GFLOP,1 MB,10 ms,fp64,l2,counter\r\n'
        "\r\n# a comment\r\n"
        "axpy,1e6,6e6,1e-3,,,compulsory\r\n",
    )
    first, second = from_csv(path, "dram", "fp32")
    assert (first.name, first.precision, first.home) == ("gemm, tiled", "fp64", "l2")
    assert (second.precision, second.home, second.bytes_source) == ("fp32", "dram", "compulsory")
    (counted,) = from_csv(written(tmp_path, "name,op,bytes,seconds\nk,1e6,1e6,1\n"), "dram", "int8")
    assert counted.unit == "OP"


TABLES = [
    ("name,work,bytes,seconds\na,1,1,1\nb,1,1,0\n", "row 3", "time is zero"),
    ("name,work,bytes,seconds\na,1,1 GB,1\nb,1,1 GiB,1\n", "row 3", "binary prefix"),
    ("name,work,bytes,seconds\na,1 GFLOPS,1,1\n", "row 2", "GFLOPS"),
    ("name,work,bytes,seconds\na,1,1\n", "row 2", "3 cells"),
    ("name,work,bytes,seconds\na,1,5,1,5\n", "row 2", "5 cells"),
    ("name,work,bytes,seconds\n,1,1,1\n", "row 2", "name is empty"),
    ("name,work,bytes\na,1,1\n", "row 1", "'seconds' is missing"),
    ("name,work,flop,bytes,seconds\n", "row 1", "twice"),
    ("name,gflops,bytes,seconds\n", "row 1", "'gflops' is no column"),
    ("name,work,bytes [GiB],seconds\n", "row 1", "is no column"),
    ("name,work,bytes,seconds,level\na,1,1,1,l9\n", "row 2", "'l9' is no memory level"),
    ("name,work,bytes,seconds,precision\na,1,1,1,single\n", "row 2", "'single' is no precision"),
    ("name,work,bytes,seconds,source\na,1,1,1,guess\n", "row 2", "'guess' is no source"),
    ("name,work,bytes,seconds\n", "points.csv", "no rows"),
    ("", "row 1", "'name' is missing"),
]


@pytest.mark.parametrize(("text", "where", "message"), TABLES)
def test_a_wrong_row_is_named(tmp_path: Path, text: str, where: str, message: str) -> None:
    with pytest.raises(PointError) as caught:
        from_csv(written(tmp_path, text), "dram", "fp32")
    assert where in caught.value.message
    assert message in caught.value.message
    assert caught.value.remedy


def test_a_file_that_is_no_table(tmp_path: Path) -> None:
    with pytest.raises(PointError, match="cannot be read"):
        from_csv(tmp_path / "none.csv", "dram", "fp32")
    (tmp_path / "image.csv").write_bytes(b"\x89PNG\xff\xfe\x00")
    with pytest.raises(PointError, match="not UTF-8"):
        from_csv(tmp_path / "image.csv", "dram", "fp32")
    (tmp_path / "one.csv").write_text("name," + "x" * 200_000)
    with pytest.raises(PointError, match="row 1"):
        from_csv(tmp_path / "one.csv", "dram", "fp32")


@given(st.text(max_size=40))
def test_any_text_is_a_point_or_refused(text: str) -> None:
    found = None
    with suppress(PointError):
        found = from_option(text, "dram", "fp32")
    assert found is None or found.rate > 0


def test_a_point_under_a_unit_of_its_own() -> None:
    assert from_option("k,1 GFLOP,1 GB,1 s", "dram", "tensor_fp16").unit == "FLOP"
    assert from_option("k,1 GOP,1 GB,1 s", "dram", "tensor_int8").unit == "OP"
    assert from_option("k,1,1,1", "dram", "amx_int8").unit == "OP"


def test_work_that_nobody_timed() -> None:
    point = from_option("k,2 GFLOP,1 GB", "dram", "fp32", timed=False)
    assert (point.rate, point.intensity()) == (None, 2.0)
    assert from_option("k,2 GFLOP,1 GB,1 s", "dram", "fp32", timed=False).rate == 2e9
