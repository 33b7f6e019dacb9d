# title: median of three neighbours, AVX2
# loop: median3
# items: 8
# features: avx2
# a: fp32 4096
# c: zero 4096
# held-out: yes
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8]
  vmovups ymm1, [rsi+r14*8+4]
  vmovups ymm2, [rsi+r14*8+8]
  vminps ymm3, ymm0, ymm1
  vmaxps ymm4, ymm0, ymm1
  vminps ymm4, ymm4, ymm2
  vmaxps ymm3, ymm3, ymm4
  vmovups [rdx+r14*8], ymm3
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
