# title: population count, AVX-512
# loop: popcount
# items: 64
# features: avx512vpopcntdq
# a: int 4096
.intel_syntax noprefix
  vpxor xmm1, xmm1, xmm1
  xor eax, eax
  mov r14d, eax
loop:
  vpopcntq zmm0, [rsi+r14*8]
  vpaddq zmm1, zmm1, zmm0
  add eax, 8
  movzx r14d, al
  dec r15
  jne loop
  ret
