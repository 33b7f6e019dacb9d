# title: a step of folding a checksum by carry-less products
# loop: crc_fold
# items: 16
# features: avx pclmul
# a: int 4096
# held-out: yes
.intel_syntax noprefix
  mov rax, 0x1d9513d700000001
  vmovq xmm15, rax
  vpunpcklqdq xmm15, xmm15, xmm15
  vmovdqa xmm0, xmm15
  xor eax, eax
  mov r14d, eax
loop:
  vpclmulqdq xmm1, xmm0, xmm15, 0x00
  vpclmulqdq xmm0, xmm0, xmm15, 0x11
  vpxor xmm0, xmm0, xmm1
  vpxor xmm0, xmm0, [rsi+r14*8]
  add eax, 2
  movzx r14d, al
  dec r15
  jne loop
  ret
