# title: upper case of ASCII, AVX2
# loop: uppercase
# items: 32
# features: avx2
# a: text 4096
# b: zero 4096
# c: int 4096
.intel_syntax noprefix
  vmovdqu ymm15, [rdx]
  vmovdqu ymm14, [rdx+32]
  vmovdqu ymm13, [rdx+64]
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu ymm0, [rsi+r14*8]
  vpaddb ymm1, ymm0, ymm15
  vpcmpgtb ymm1, ymm1, ymm14
  vpand ymm1, ymm1, ymm13
  vpsubb ymm0, ymm0, ymm1
  vmovdqu [rdi+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
