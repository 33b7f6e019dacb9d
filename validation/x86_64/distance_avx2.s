# title: distances of points in the plane by square root, AVX2
# loop: distance
# items: 8
# features: avx2 fma
# a: fp32 4096
# b: fp32 4096
# c: zero 4096
# held-out: yes
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8]
  vmovups ymm1, [rdi+r14*8]
  vmulps ymm0, ymm0, ymm0
  vfmadd231ps ymm0, ymm1, ymm1
  vsqrtps ymm0, ymm0
  vmovups [rdx+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
