# title: bits of bytes in reverse order by an affine transformation, AVX2 with GFNI
# loop: bit_reverse_bytes
# items: 32
# features: avx2 gfni
# a: int 4096
# c: zero 4096
# held-out: yes
.intel_syntax noprefix
  mov rax, 0x8040201008040201
  vmovq xmm15, rax
  vpbroadcastq ymm15, xmm15
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu ymm0, [rsi+r14*8]
  vgf2p8affineqb ymm0, ymm0, ymm15, 0
  vmovdqu [rdx+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
