# title: distances of points in the plane by square root, AVX-512
# loop: distance
# items: 16
# features: avx512f
# a: fp32 4096
# b: fp32 4096
# c: zero 4096
# held-out: yes
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  vmovups zmm0, [rsi+r14*8]
  vmovups zmm1, [rdi+r14*8]
  vmulps zmm0, zmm0, zmm0
  vfmadd231ps zmm0, zmm1, zmm1
  vsqrtps zmm0, zmm0
  vmovups [rdx+r14*8], zmm0
  add eax, 8
  movzx r14d, al
  dec r15
  jne loop
  ret
