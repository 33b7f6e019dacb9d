# title: whether two blocks are equal, AVX2
# loop: compare_blocks
# items: 64
# features: avx2
# a: int 4096
# b: int 4096
# held-out: yes
.intel_syntax noprefix
  vpxor xmm0, xmm0, xmm0
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu ymm1, [rsi+r14*8]
  vmovdqu ymm2, [rsi+r14*8+32]
  vpxor ymm1, ymm1, [rdi+r14*8]
  vpxor ymm2, ymm2, [rdi+r14*8+32]
  vpor ymm0, ymm0, ymm1
  vpor ymm0, ymm0, ymm2
  add eax, 8
  movzx r14d, al
  dec r15
  jne loop
  ret
