"""Sources that compile together, sources that do not compile, targets that are not built."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from reportgen.backends.cuda import builder, cache, compiler, elf, toolkit
from reportgen.backends.cuda.compiler import Kernel
from reportgen.errors import CompileError, UserError
from tests.unit.backends.cuda import kernels

pytestmark = pytest.mark.usefixtures("toolchain")


def chain(name: str, ptx: str = "fma.rn.f32 %0, %0, %1, %2;") -> Kernel:
    step = kernels.asm("float", ptx)
    return Kernel(name, kernels.kernel(name, "float", f"{step}\n  {step}", warm=step))


BIG = Kernel(
    "probe_big",
    """extern "C" __global__ void probe_big(float* o) {
  __shared__ float s[60000];
  s[threadIdx.x] = o[threadIdx.x]; __syncthreads(); o[threadIdx.x] = s[threadIdx.x ^ 7];
}""",
)


def test_kernels_of_one_target_share_a_cubin() -> None:
    made = compiler.compile_kernels([chain("probe_one"), chain("probe_two")], "sm_90")
    assert made["probe_one"] is made["probe_two"]
    data = made["probe_one"]
    assert isinstance(data, bytes)
    assert set(elf.Cubin(data).kernels) == {"probe_one", "probe_two"}


def test_same_names_inside_do_not_meet() -> None:
    helper = "__device__ inline float twice(float v) {{ return {} * v; }}\n"
    text = 'extern "C" __global__ void {}(float* o) {{ o[threadIdx.x] = twice(o[threadIdx.x]); }}'
    made = compiler.compile_kernels(
        [Kernel(n, helper.format(v) + text.format(n)) for n, v in (("probe_a", "2.0f"), ("probe_b", "3.0f"))],
        "sm_86",
    )
    assert all(isinstance(cubin, bytes) for cubin in made.values())
    assert made["probe_a"] is made["probe_b"]


def test_macros_and_module_variables_are_compiled_alone() -> None:
    text = '__constant__ float q[64];\nextern "C" __global__ void {0}(float* o) {{ o[0] = q[threadIdx.x]; }}'
    made = compiler.compile_kernels([Kernel(n, text.format(n)) for n in ("probe_p", "probe_q")], "sm_86")
    assert made["probe_p"] is not made["probe_q"]
    define = '#define K 3\nextern "C" __global__ void {0}(int* o) {{ o[0] = K; }}'
    made = compiler.compile_kernels([Kernel(n, define.format(n)) for n in ("probe_p", "probe_q")], "sm_86")
    assert made["probe_p"] is not made["probe_q"]


def test_two_of_one_name_are_a_mistake() -> None:
    with pytest.raises(ValueError, match="two kernels have one name"):
        compiler.compile_kernels([chain("probe_one"), chain("probe_one")], "sm_90")


def test_bad_ones_are_told_apart_from_good_ones() -> None:
    batch = [chain(f"probe_{n}") for n in range(5)]
    batch.insert(2, chain("probe_ptx", "fma.rn.f33 %0, %0, %1, %2;"))
    batch.insert(0, Kernel("probe_cxx", chain("probe_cxx").text.replace("float x", "flot x", 1)))
    batch.append(BIG)
    made = compiler.compile_kernels(batch, "sm_90")
    assert list(made) == [kernel.name for kernel in batch]
    refused = {name for name, cubin in made.items() if isinstance(cubin, CompileError)}
    assert refused == {"probe_ptx", "probe_cxx", "probe_big"}


def test_ptx_that_does_not_assemble_names_the_source_line() -> None:
    kernel = chain("probe_ptx", "fma.rn.f33 %0, %0, %1, %2;")
    line = next(n for n, text in enumerate(kernel.text.splitlines(), 1) if "fma.rn.f33" in text)
    with pytest.raises(CompileError) as caught:
        compiler.compile_kernel(kernel, "sm_90")
    said = str(caught.value)
    assert f"probe_ptx.cu({line}): error: Unknown modifier '.f33' in 'fma.rn.f33 " in said
    assert 'source: asm volatile("fma.rn.f33 %0, %0, %1, %2;"' in said


def test_cxx_that_does_not_compile_names_the_source_line() -> None:
    kernel = Kernel("probe_cxx", chain("probe_cxx").text.replace("float x", "flot x", 1))
    with pytest.raises(CompileError, match=r'probe_cxx\.cu\(2\): error: identifier "flot" is undefined'):
        compiler.compile_kernel(kernel, "sm_90")


def test_a_long_log_is_cut() -> None:
    text = 'extern "C" __global__ void probe_long() {\n' + "".join(f"wrong_{n};\n" for n in range(50)) + "}"
    with pytest.raises(CompileError) as caught:
        compiler.compile_kernel(Kernel("probe_long", text), "sm_90")
    assert "more lines" in str(caught.value)
    assert len(str(caught.value).splitlines()) < 20


def test_too_much_shared_memory_says_how_much() -> None:
    with pytest.raises(CompileError) as caught:
        compiler.compile_kernel(BIG, "sm_90")
    kept = builder.refused(str(caught.value))
    assert kept.status == "unsupported"
    assert kept.reason == "takes 240000 bytes of shared memory, this target allows 49152"


def test_an_instruction_that_the_target_lacks_is_unsupported() -> None:
    step = kernels.asm("int", "redux.sync.add.s32 %0, %0, -1;")
    with pytest.raises(CompileError) as caught:
        compiler.compile_kernel(Kernel("probe_r", kernels.kernel("probe_r", "int", step)), "sm_75")
    kept = builder.refused(str(caught.value))
    assert kept.status == "unsupported"
    assert "sm_80" in kept.reason


def test_other_refusals_have_failed() -> None:
    assert builder.refused("probe.cu(3): error: expected a ';'").status == "failed"


@pytest.mark.parametrize("name", ["sm_99", "sm_70", "sm_90f", "nonsense"])
def test_targets_that_are_not_built(name: str) -> None:
    with pytest.raises(UserError, match="target"):
        compiler.compile_kernels([chain("probe_one")], name)


def test_version_options_and_ptx_version_are_told() -> None:
    told = compiler.describe()
    assert set(told) == {"compiler", "compiler_version", "compiler_origin", "options"}
    assert "/" not in "".join(told.values())
    assert compiler.ptx_version("sm_90") == compiler.ptx_version("sm_90a")
    assert set(compiler.supported()) >= {75, 80, 86, 89, 90}


def test_second_time_comes_from_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = chain("probe_cached", "mul.rn.f32 %0, %0, %1;")
    first = compiler.compile_kernel(kernel, "sm_90")

    def fail(*_: object) -> bytes:
        raise AssertionError("compiled again")

    monkeypatch.setattr(compiler, "_translate", fail)
    assert compiler.compile_kernel(kernel, "sm_90") == first
    with pytest.raises(AssertionError):
        compiler.compile_kernel(kernel, "sm_86")


def test_cache_that_cannot_be_written_is_no_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    cache.put("00name", b"data")
    assert cache.get("00name") is None


def test_cache_writes_whole_files_only(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    cache.put("aaname", b"data")
    assert cache.get("aaname") == b"data"
    assert [path.name for path in (tmp_path / "reportgen" / "cuda" / "aa").iterdir()] == ["aaname"]
    assert cache.key("ab", "c") != cache.key("a", "bc")


FAKE_NVCC = """#!{python}
import pathlib, sys
a = sys.argv[1:]
if a[0] == "--version":
    print("Cuda compilation tools, release 13.0, V13.0.88")
elif a[0] == "--list-gpu-arch":
    print("compute_75\\ncompute_90")
elif "wrong" in pathlib.Path(a[-1]).read_text():
    print(f"{{a[-1]}}(3): error: no", file=sys.stderr); sys.exit(2)
else:
    pathlib.Path(a[a.index("-o") + 1]).write_bytes(" ".join(a[:3]).encode())
"""


@pytest.fixture
def nvcc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Only nvcc is here, and it writes down how it was called."""
    path = tmp_path / "nvcc"
    path.write_text(FAKE_NVCC.format(python=sys.executable))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(toolkit, "find", lambda: toolkit.Toolkit(None, None, path, path))
    return path


def test_nvcc_is_the_alternative(nvcc: Path) -> None:
    assert compiler.fingerprint() == "nvcc 13.0.88"
    assert compiler.supported() == (75, 90)
    made = compiler.compile_kernel(Kernel("probe_n", "fine"), "sm_90a")
    assert made == b"-cubin -arch=sm_90a --std=c++17"
    with pytest.raises(
        UserError, match=r"nvcc 13.0.88 does not build for 'sm_86'. It builds for sm_75, sm_90"
    ):
        compiler.compile_kernel(Kernel("probe_n", "fine"), "sm_86")


def test_nvcc_log_holds_no_path(nvcc: Path) -> None:
    with pytest.raises(CompileError) as caught:
        compiler.compile_kernel(Kernel("probe_w", "wrong"), "sm_90")
    assert str(caught.value) == "unit.cu(3): error: no"
