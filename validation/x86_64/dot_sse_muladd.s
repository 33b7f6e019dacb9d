# title: dot product of FP32, SSE width, multiply then add, two accumulators
# loop: dot
# items: 8
# features: avx
# a: fp32 4096
# b: fp32 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  vxorps xmm1, xmm1, xmm1
  xor eax, eax
  mov r14d, eax
loop:
  vmovups xmm2, [rsi+r14*8]
  vmulps xmm2, xmm2, [rdi+r14*8]
  vaddps xmm0, xmm0, xmm2
  vmovups xmm3, [rsi+r14*8+16]
  vmulps xmm3, xmm3, [rdi+r14*8+16]
  vaddps xmm1, xmm1, xmm3
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
