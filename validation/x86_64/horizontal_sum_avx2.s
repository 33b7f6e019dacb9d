# title: sum of eight FP32 to one, AVX2
# loop: horizontal_sum
# items: 8
# features: avx2
# a: fp32 4096
# c: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8]
  vextractf128 xmm1, ymm0, 1
  vaddps xmm0, xmm0, xmm1
  vmovhlps xmm1, xmm0, xmm0
  vaddps xmm0, xmm0, xmm1
  vmovshdup xmm1, xmm0
  vaddss xmm0, xmm0, xmm1
  vmovss [rdx+r14*8], xmm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
