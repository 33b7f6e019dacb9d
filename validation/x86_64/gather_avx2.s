# title: gather of eight INT32 by index, AVX2 gather instruction
# loop: gather
# items: 8
# features: avx2
# a: int 4096
# b: index 4096
# c: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu ymm1, [rdi+r14*8]
  vpcmpeqd ymm2, ymm2, ymm2
  vpgatherdd ymm0, [rsi+ymm1*4], ymm2
  vmovdqu [rdx+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
