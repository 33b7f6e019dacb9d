# title: copy, AVX2
# loop: copy
# items: 32
# features: avx
# a: int 4096
# b: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8]
  vmovups [rdi+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
