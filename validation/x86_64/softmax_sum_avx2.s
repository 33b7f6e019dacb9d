# title: sum of differences from the maximum and its square, FP32, AVX2
# loop: moments
# items: 8
# features: avx2 fma
# a: fp32 4096
.intel_syntax noprefix
  vmovups ymm15, [rsi]
  vxorps xmm1, xmm1, xmm1
  vxorps xmm2, xmm2, xmm2
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8]
  vsubps ymm0, ymm0, ymm15
  vaddps ymm1, ymm1, ymm0
  vfmadd231ps ymm2, ymm0, ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
