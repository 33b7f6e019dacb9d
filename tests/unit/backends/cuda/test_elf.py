"""Registers, stack and memory from the ELF alone."""

from __future__ import annotations

import pytest

from reportgen.backends.cuda import compiler, elf

TEXT = """
extern "C" __global__ void __launch_bounds__(128) probe_static(float* o, const float* i) {
  __shared__ float s[300];
  s[threadIdx.x] = i[threadIdx.x]; __syncthreads(); o[threadIdx.x] = s[threadIdx.x ^ 1];
}"""
PLAIN = """
extern "C" __global__ void probe_plain(float* o, const float* i, int n) {
  o[threadIdx.x] = i[threadIdx.x + n];
}
"""
STACK = """
extern "C" __global__ void probe_stack(int* o, int n) {
  int a[32];
  #pragma unroll 1
  for (int k = 0; k < 32; ++k) a[(k * 7) & 31] = o[k];
  #pragma unroll 1
  for (int k = 0; k < n; ++k) a[o[k] & 31] += a[o[k + 1] & 31];
  o[threadIdx.x] = a[n & 31];
}"""


@pytest.mark.parametrize("target", ["sm_75", "sm_86", "sm_90a", "sm_120"])
def test_resources(toolchain: str, target: str) -> None:
    number = int(target[3:].rstrip("a"))
    kernels = [
        compiler.Kernel(name, text)
        for name, text in (("probe_static", TEXT), ("probe_plain", PLAIN), ("probe_stack", STACK))
    ]
    cubins = compiler.compile_kernels(kernels, target)
    found = {}
    for name, data in cubins.items():
        assert isinstance(data, bytes)
        found[name] = elf.Cubin(data).resources(name, number)
    static, plain, stack = found["probe_static"], found["probe_plain"], found["probe_stack"]
    assert (static.shared_bytes, plain.shared_bytes) == (1200, 0)  # without what sm_90 and later reserve
    assert (static.max_threads, plain.max_threads) == (128, 0)
    assert (static.parameter_bytes, plain.parameter_bytes) == (16, 20)
    assert plain.constant_bytes > plain.parameter_bytes
    assert 4 <= plain.registers <= 32
    assert (static.stack_bytes, plain.stack_bytes) == (0, 0)
    assert stack.stack_bytes == 128
