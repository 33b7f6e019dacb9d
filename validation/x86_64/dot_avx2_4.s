# title: dot product of FP32, AVX2, four accumulators
# loop: dot
# items: 32
# features: avx2 fma
# a: fp32 4096
# b: fp32 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  vxorps xmm1, xmm1, xmm1
  vxorps xmm2, xmm2, xmm2
  vxorps xmm3, xmm3, xmm3
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm4, [rsi+r14*8+0]
  vmovups ymm5, [rsi+r14*8+32]
  vmovups ymm6, [rsi+r14*8+64]
  vmovups ymm7, [rsi+r14*8+96]
  vfmadd231ps ymm0, ymm4, [rdi+r14*8+0]
  vfmadd231ps ymm1, ymm5, [rdi+r14*8+32]
  vfmadd231ps ymm2, ymm6, [rdi+r14*8+64]
  vfmadd231ps ymm3, ymm7, [rdi+r14*8+96]
  add eax, 16
  movzx r14d, al
  dec r15
  jne loop
  ret
