# title: internet checksum by words, AVX2
# loop: checksum
# items: 32
# features: avx2
# a: int 4096
.intel_syntax noprefix
  vpxor xmm15, xmm15, xmm15
  vpxor xmm2, xmm2, xmm2
  vpxor xmm3, xmm3, xmm3
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu ymm0, [rsi+r14*8]
  vpunpckldq ymm1, ymm0, ymm15
  vpunpckhdq ymm0, ymm0, ymm15
  vpaddq ymm2, ymm2, ymm1
  vpaddq ymm3, ymm3, ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
