# title: ChaCha quarter round of sixteen blocks, AVX-512, rotates in one instruction
# loop: chacha
# items: 16
# features: avx512f
# a: int 4096
.intel_syntax noprefix
  vmovdqu64 zmm0, [rsi+64]
  vmovdqu64 zmm1, [rsi+128]
  vmovdqu64 zmm2, [rsi+192]
  vmovdqu64 zmm3, [rsi+256]
loop:
  vpaddd zmm0, zmm0, zmm1
  vpxord zmm3, zmm3, zmm0
  vprold zmm3, zmm3, 16
  vpaddd zmm2, zmm2, zmm3
  vpxord zmm1, zmm1, zmm2
  vprold zmm1, zmm1, 12
  vpaddd zmm0, zmm0, zmm1
  vpxord zmm3, zmm3, zmm0
  vprold zmm3, zmm3, 8
  vpaddd zmm2, zmm2, zmm3
  vpxord zmm1, zmm1, zmm2
  vprold zmm1, zmm1, 7
  dec r15
  jne loop
  ret
