# title: y += a x, FP32, AVX2, arrays in the second level
# loop: axpy_l2
# items: 8
# features: avx2 fma
# a: zero 262144
# b: fp32 262144
.intel_syntax noprefix
  mov eax, 0x3f000000
  vmovd xmm15, eax
  vbroadcastss ymm15, xmm15
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rdi+r14*4]
  vfmadd231ps ymm0, ymm15, [rsi+r14*4]
  vmovups [rdi+r14*4], ymm0
  add eax, 8
  movzx r14d, ax
  dec r15
  jne loop
  ret
