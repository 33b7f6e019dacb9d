# title: complex product, FP32, AVX2: duplicate, shuffle, add and subtract in turn
# loop: complex_mul
# items: 4
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
  vmovsldup ymm2, ymm0
  vmovshdup ymm3, ymm0
  vshufps ymm4, ymm1, ymm1, 0xb1
  vmulps ymm3, ymm3, ymm4
  vfmaddsub231ps ymm3, ymm2, ymm1
  vmovups [rdx+r14*8], ymm3
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
