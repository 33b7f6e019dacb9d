# title: fill, AVX2
# loop: fill
# items: 32
# features: avx
# a: int 4096
# b: zero 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  xor eax, eax
  mov r14d, eax
loop:
  vmovups [rdi+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
