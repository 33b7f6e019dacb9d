# title: AES-128 of one block at a time, ten rounds
# loop: aes
# items: 1
# features: aes avx
# a: int 4096
.intel_syntax noprefix
  vpxor xmm0, xmm0, xmm0
loop:
  vpxor xmm0, xmm0, [rsi]
  vaesenc xmm0, xmm0, [rsi+16]
  vaesenc xmm0, xmm0, [rsi+32]
  vaesenc xmm0, xmm0, [rsi+48]
  vaesenc xmm0, xmm0, [rsi+64]
  vaesenc xmm0, xmm0, [rsi+80]
  vaesenc xmm0, xmm0, [rsi+96]
  vaesenc xmm0, xmm0, [rsi+112]
  vaesenc xmm0, xmm0, [rsi+128]
  vaesenc xmm0, xmm0, [rsi+144]
  vaesenclast xmm0, xmm0, [rsi+160]
  dec r15
  jne loop
  ret
