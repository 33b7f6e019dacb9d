# title: dot product of INT16, AVX2, multiply-add of pairs
# loop: dot_int16
# items: 16
# features: avx2
# a: int 4096
# b: int 4096
.intel_syntax noprefix
  vpxor xmm0, xmm0, xmm0
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu ymm1, [rsi+r14*8]
  vpmaddwd ymm1, ymm1, [rdi+r14*8]
  vpaddd ymm0, ymm0, ymm1
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
