# title: place of the largest FP32, AVX2, compare and blend
# loop: argmax
# items: 8
# features: avx2
# a: fp32 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  vxorps xmm1, xmm1, xmm1
  vxorps xmm2, xmm2, xmm2
  mov eax, 8
  vmovd xmm5, eax
  vpbroadcastd ymm5, xmm5
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm3, [rsi+r14*8]
  vcmpps ymm4, ymm0, ymm3, 1
  vblendvps ymm1, ymm1, ymm2, ymm4
  vmaxps ymm0, ymm0, ymm3
  vpaddd ymm2, ymm2, ymm5
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
