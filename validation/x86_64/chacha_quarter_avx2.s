# title: ChaCha quarter round of eight blocks, AVX2, rotates by shifts and shuffles
# loop: chacha
# items: 8
# features: avx2
# a: int 4096
.intel_syntax noprefix
  vmovdqu ymm15, [rsi]
  vmovdqu ymm14, [rsi+32]
  vmovdqu ymm0, [rsi+64]
  vmovdqu ymm1, [rsi+96]
  vmovdqu ymm2, [rsi+128]
  vmovdqu ymm3, [rsi+160]
loop:
  vpaddd ymm0, ymm0, ymm1
  vpxor ymm3, ymm3, ymm0
  vpshufb ymm3, ymm3, ymm15
  vpaddd ymm2, ymm2, ymm3
  vpxor ymm1, ymm1, ymm2
  vpslld ymm4, ymm1, 12
  vpsrld ymm1, ymm1, 20
  vpor ymm1, ymm1, ymm4
  vpaddd ymm0, ymm0, ymm1
  vpxor ymm3, ymm3, ymm0
  vpshufb ymm3, ymm3, ymm14
  vpaddd ymm2, ymm2, ymm3
  vpxor ymm1, ymm1, ymm2
  vpslld ymm4, ymm1, 7
  vpsrld ymm1, ymm1, 25
  vpor ymm1, ymm1, ymm4
  dec r15
  jne loop
  ret
