# title: transpose of 4 x 4 FP32, SSE width
# loop: transpose4
# items: 16
# features: avx
# a: fp32 4096
# b: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  vmovups xmm0, [rsi+r14*8]
  vmovups xmm1, [rsi+r14*8+16]
  vmovups xmm2, [rsi+r14*8+32]
  vmovups xmm3, [rsi+r14*8+48]
  vunpcklps xmm4, xmm0, xmm1
  vunpckhps xmm5, xmm0, xmm1
  vunpcklps xmm6, xmm2, xmm3
  vunpckhps xmm7, xmm2, xmm3
  vmovlhps xmm0, xmm4, xmm6
  vmovhlps xmm1, xmm6, xmm4
  vmovlhps xmm2, xmm5, xmm7
  vmovhlps xmm3, xmm7, xmm5
  vmovups [rdi+r14*8], xmm0
  vmovups [rdi+r14*8+16], xmm1
  vmovups [rdi+r14*8+32], xmm2
  vmovups [rdi+r14*8+48], xmm3
  add eax, 8
  movzx r14d, al
  dec r15
  jne loop
  ret
