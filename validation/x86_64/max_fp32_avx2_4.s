# title: maximum of FP32, AVX2, four accumulators
# loop: max
# items: 32
# features: avx
# a: fp32 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  vxorps xmm1, xmm1, xmm1
  vxorps xmm2, xmm2, xmm2
  vxorps xmm3, xmm3, xmm3
  xor eax, eax
  mov r14d, eax
loop:
  vmaxps ymm0, ymm0, [rsi+r14*8+0]
  vmaxps ymm1, ymm1, [rsi+r14*8+32]
  vmaxps ymm2, ymm2, [rsi+r14*8+64]
  vmaxps ymm3, ymm3, [rsi+r14*8+96]
  add eax, 16
  movzx r14d, al
  dec r15
  jne loop
  ret
