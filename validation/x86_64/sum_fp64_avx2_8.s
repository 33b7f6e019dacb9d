# title: sum of FP64, AVX2, eight accumulators
# loop: sum
# items: 32
# features: avx
# a: fp64 4096
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
  vaddpd ymm0, ymm0, [rsi+r14*8+0]
  vaddpd ymm1, ymm1, [rsi+r14*8+32]
  vaddpd ymm2, ymm2, [rsi+r14*8+64]
  vaddpd ymm3, ymm3, [rsi+r14*8+96]
  vaddpd ymm4, ymm4, [rsi+r14*8+128]
  vaddpd ymm5, ymm5, [rsi+r14*8+160]
  vaddpd ymm6, ymm6, [rsi+r14*8+192]
  vaddpd ymm7, ymm7, [rsi+r14*8+224]
  add eax, 32
  movzx r14d, al
  dec r15
  jne loop
  ret
