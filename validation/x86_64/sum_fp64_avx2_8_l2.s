# title: sum of FP64, AVX2, eight accumulators, array in the second level
# loop: sum_l2
# items: 32
# features: avx
# a: fp64 262144
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  vxorps xmm1, xmm1, xmm1
  vxorps xmm2, xmm2, xmm2
  vxorps xmm3, xmm3, xmm3
  vxorps xmm4, xmm4, xmm4
  vxorps xmm5, xmm5, xmm5
  vxorps xmm6, xmm6, xmm6
  vxorps xmm7, xmm7, xmm7
  xor eax, eax
  mov r14d, eax
loop:
  vaddpd ymm0, ymm0, [rsi+r14*4+0]
  vaddpd ymm1, ymm1, [rsi+r14*4+32]
  vaddpd ymm2, ymm2, [rsi+r14*4+64]
  vaddpd ymm3, ymm3, [rsi+r14*4+96]
  vaddpd ymm4, ymm4, [rsi+r14*4+128]
  vaddpd ymm5, ymm5, [rsi+r14*4+160]
  vaddpd ymm6, ymm6, [rsi+r14*4+192]
  vaddpd ymm7, ymm7, [rsi+r14*4+224]
  add eax, 64
  movzx r14d, ax
  dec r15
  jne loop
  ret
