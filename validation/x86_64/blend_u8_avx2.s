# title: blend of two images of bytes, AVX2: unpack, multiply, add, shift, pack
# loop: blend_u8
# items: 32
# features: avx2
# a: int 4096
# b: int 4096
# c: zero 4096
.intel_syntax noprefix
  mov eax, 0x40404040
  vmovd xmm15, eax
  vpbroadcastd ymm15, xmm15
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu ymm0, [rsi+r14*8]
  vmovdqu ymm1, [rdi+r14*8]
  vpunpcklbw ymm2, ymm0, ymm1
  vpunpckhbw ymm3, ymm0, ymm1
  vpmaddubsw ymm2, ymm2, ymm15
  vpmaddubsw ymm3, ymm3, ymm15
  vpsrlw ymm2, ymm2, 7
  vpsrlw ymm3, ymm3, 7
  vpackuswb ymm2, ymm2, ymm3
  vmovdqu [rdx+r14*8], ymm2
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
