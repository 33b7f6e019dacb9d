# title: copy, AVX2, arrays in the second level
# loop: copy_l2
# items: 32
# features: avx
# a: int 262144
# b: zero 262144
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*4]
  vmovups [rdi+r14*4], ymm0
  add eax, 8
  movzx r14d, ax
  dec r15
  jne loop
  ret
