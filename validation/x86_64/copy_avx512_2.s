# title: copy, AVX-512, unrolled twice
# loop: copy
# items: 128
# features: avx512f
# a: int 4096
# b: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  vmovups zmm0, [rsi+r14*8]
  vmovups zmm1, [rsi+r14*8+64]
  vmovups [rdi+r14*8], zmm0
  vmovups [rdi+r14*8+64], zmm1
  add eax, 16
  movzx r14d, al
  dec r15
  jne loop
  ret
