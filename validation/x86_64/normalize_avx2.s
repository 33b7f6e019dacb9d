# title: x / sqrt(x x + y y), FP32, AVX2, square root and division
# loop: normalize
# items: 8
# features: avx2 fma
# a: fp32 4096
# b: fp32 4096
# c: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8]
  vmovups ymm1, [rdi+r14*8]
  vmulps ymm2, ymm0, ymm0
  vfmadd231ps ymm2, ymm1, ymm1
  vsqrtps ymm2, ymm2
  vdivps ymm0, ymm0, ymm2
  vmovups [rdx+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
