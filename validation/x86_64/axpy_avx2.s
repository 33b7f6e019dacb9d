# title: y += a x, FP32, AVX2
# loop: axpy
# items: 8
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
  vmovups ymm0, [rdi+r14*8]
  vfmadd231ps ymm0, ymm15, [rsi+r14*8]
  vmovups [rdi+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
