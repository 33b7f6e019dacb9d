# title: AES-128 of four blocks, ten rounds
# loop: aes
# items: 4
# features: aes avx
# a: int 4096
.intel_syntax noprefix
  vmovdqu xmm4, [rsi+0]
  vmovdqu xmm5, [rsi+16]
  vmovdqu xmm6, [rsi+32]
  vmovdqu xmm7, [rsi+48]
  vmovdqu xmm8, [rsi+64]
  vmovdqu xmm9, [rsi+80]
  vmovdqu xmm10, [rsi+96]
  vmovdqu xmm11, [rsi+112]
  vmovdqu xmm12, [rsi+128]
  vmovdqu xmm13, [rsi+144]
  vmovdqu xmm14, [rsi+160]
  vxorps xmm0, xmm0, xmm0
  vxorps xmm1, xmm1, xmm1
  vxorps xmm2, xmm2, xmm2
  vxorps xmm3, xmm3, xmm3
loop:
  vpxor xmm0, xmm0, xmm4
  vpxor xmm1, xmm1, xmm4
  vpxor xmm2, xmm2, xmm4
  vpxor xmm3, xmm3, xmm4
  vaesenc xmm0, xmm0, xmm5
  vaesenc xmm1, xmm1, xmm5
  vaesenc xmm2, xmm2, xmm5
  vaesenc xmm3, xmm3, xmm5
  vaesenc xmm0, xmm0, xmm6
  vaesenc xmm1, xmm1, xmm6
  vaesenc xmm2, xmm2, xmm6
  vaesenc xmm3, xmm3, xmm6
  vaesenc xmm0, xmm0, xmm7
  vaesenc xmm1, xmm1, xmm7
  vaesenc xmm2, xmm2, xmm7
  vaesenc xmm3, xmm3, xmm7
  vaesenc xmm0, xmm0, xmm8
  vaesenc xmm1, xmm1, xmm8
  vaesenc xmm2, xmm2, xmm8
  vaesenc xmm3, xmm3, xmm8
  vaesenc xmm0, xmm0, xmm9
  vaesenc xmm1, xmm1, xmm9
  vaesenc xmm2, xmm2, xmm9
  vaesenc xmm3, xmm3, xmm9
  vaesenc xmm0, xmm0, xmm10
  vaesenc xmm1, xmm1, xmm10
  vaesenc xmm2, xmm2, xmm10
  vaesenc xmm3, xmm3, xmm10
  vaesenc xmm0, xmm0, xmm11
  vaesenc xmm1, xmm1, xmm11
  vaesenc xmm2, xmm2, xmm11
  vaesenc xmm3, xmm3, xmm11
  vaesenc xmm0, xmm0, xmm12
  vaesenc xmm1, xmm1, xmm12
  vaesenc xmm2, xmm2, xmm12
  vaesenc xmm3, xmm3, xmm12
  vaesenc xmm0, xmm0, xmm13
  vaesenc xmm1, xmm1, xmm13
  vaesenc xmm2, xmm2, xmm13
  vaesenc xmm3, xmm3, xmm13
  vaesenclast xmm0, xmm0, xmm14
  vaesenclast xmm1, xmm1, xmm14
  vaesenclast xmm2, xmm2, xmm14
  vaesenclast xmm3, xmm3, xmm14
  dec r15
  jne loop
  ret
