# title: product of fixed-point numbers with rounding, AVX2
# loop: fixed_point
# items: 16
# features: avx2
# a: int 4096
# b: int 4096
# c: zero 4096
# held-out: yes
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu ymm0, [rsi+r14*8]
  vpmulhrsw ymm0, ymm0, [rdi+r14*8]
  vpaddsw ymm0, ymm0, [rdx+r14*8]
  vmovdqu [rdx+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
