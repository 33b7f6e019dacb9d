# title: Hamming distance, AVX-512, two accumulators
# loop: hamming
# items: 128
# features: avx512vpopcntdq
# a: int 4096
# b: int 4096
.intel_syntax noprefix
  vpxor xmm2, xmm2, xmm2
  vpxor xmm3, xmm3, xmm3
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu64 zmm0, [rsi+r14*8]
  vpxorq zmm0, zmm0, [rdi+r14*8]
  vpopcntq zmm0, zmm0
  vpaddq zmm2, zmm2, zmm0
  vmovdqu64 zmm1, [rsi+r14*8+64]
  vpxorq zmm1, zmm1, [rdi+r14*8+64]
  vpopcntq zmm1, zmm1
  vpaddq zmm3, zmm3, zmm1
  add eax, 16
  movzx r14d, al
  dec r15
  jne loop
  ret
