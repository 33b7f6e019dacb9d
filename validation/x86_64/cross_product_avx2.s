# title: cross products of vectors in separate arrays, FP32, AVX2
# loop: cross_product
# items: 8
# features: avx2 fma
# a: fp32 4096
# b: fp32 4096
# c: zero 4096
# held-out: yes
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8]
  vmovups ymm1, [rsi+r14*8+32]
  vmovups ymm2, [rsi+r14*8+64]
  vmovups ymm3, [rdi+r14*8]
  vmovups ymm4, [rdi+r14*8+32]
  vmovups ymm5, [rdi+r14*8+64]
  vmulps ymm6, ymm2, ymm4
  vmulps ymm7, ymm0, ymm5
  vmulps ymm8, ymm1, ymm3
  vfmsub231ps ymm6, ymm1, ymm5
  vfmsub231ps ymm7, ymm2, ymm3
  vfmsub231ps ymm8, ymm0, ymm4
  vmovups [rdx+r14*8], ymm6
  vmovups [rdx+r14*8+32], ymm7
  vmovups [rdx+r14*8+64], ymm8
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
