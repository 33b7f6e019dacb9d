# title: sum of FP64, AVX2, one accumulator
# loop: sum
# items: 4
# features: avx
# a: fp64 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  xor eax, eax
  mov r14d, eax
loop:
  vaddpd ymm0, ymm0, [rsi+r14*8]
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
