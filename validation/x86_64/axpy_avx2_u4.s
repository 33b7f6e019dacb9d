# title: y += a x, FP32, AVX2, unrolled four times
# loop: axpy
# items: 32
# features: avx2 fma
# a: zero 4096
# b: fp32 4096
.intel_syntax noprefix
  mov eax, 0x3f000000
  vmovd xmm15, eax
  vbroadcastss ymm15, xmm15
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rdi+r14*8+0]
  vfmadd231ps ymm0, ymm15, [rsi+r14*8+0]
  vmovups [rdi+r14*8+0], ymm0
  vmovups ymm1, [rdi+r14*8+32]
  vfmadd231ps ymm1, ymm15, [rsi+r14*8+32]
  vmovups [rdi+r14*8+32], ymm1
  vmovups ymm2, [rdi+r14*8+64]
  vfmadd231ps ymm2, ymm15, [rsi+r14*8+64]
  vmovups [rdi+r14*8+64], ymm2
  vmovups ymm3, [rdi+r14*8+96]
  vfmadd231ps ymm3, ymm15, [rsi+r14*8+96]
  vmovups [rdi+r14*8+96], ymm3
  add eax, 16
  movzx r14d, al
  dec r15
  jne loop
  ret
