# title: brightness of pixels by multiply and add of INT16, AVX2
# loop: luma
# items: 8
# features: avx2
# a: int 4096
# c: zero 4096
# held-out: yes
.intel_syntax noprefix
  mov eax, 0x00132526
  vmovd xmm14, eax
  vpbroadcastd ymm14, xmm14
  mov eax, 0x00010001
  vmovd xmm15, eax
  vpbroadcastd ymm15, xmm15
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu ymm0, [rsi+r14*8]
  vpmaddubsw ymm0, ymm0, ymm14
  vpmaddwd ymm0, ymm0, ymm15
  vpsrld ymm0, ymm0, 7
  vmovdqu [rdx+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
