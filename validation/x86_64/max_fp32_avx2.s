# title: maximum of FP32, AVX2, one accumulator
# loop: max
# items: 8
# features: avx
# a: fp32 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  xor eax, eax
  mov r14d, eax
loop:
  vmaxps ymm0, ymm0, [rsi+r14*8]
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
