# title: base64 encoding, AVX2: shuffle, multiply, table by shuffle
# loop: base64
# items: 24
# features: avx2
# a: int 4096
# b: zero 4096
# c: int 4096
.intel_syntax noprefix
  vmovdqu ymm8, [rdx+0]
  vmovdqu ymm9, [rdx+32]
  vmovdqu ymm10, [rdx+64]
  vmovdqu ymm11, [rdx+96]
  vmovdqu ymm12, [rdx+128]
  vmovdqu ymm13, [rdx+160]
  vmovdqu ymm14, [rdx+192]
  vmovdqu ymm15, [rdx+224]
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu xmm0, [rsi+r14*8]
  vinserti128 ymm0, ymm0, [rsi+r14*8+12], 1
  vpshufb ymm0, ymm0, ymm15
  vpand ymm1, ymm0, ymm14
  vpmulhuw ymm1, ymm1, ymm13
  vpand ymm2, ymm0, ymm12
  vpmullw ymm2, ymm2, ymm11
  vpor ymm0, ymm1, ymm2
  vpsubusb ymm1, ymm0, ymm10
  vpcmpgtb ymm2, ymm9, ymm0
  vpsubb ymm1, ymm1, ymm2
  vpshufb ymm1, ymm8, ymm1
  vpaddb ymm0, ymm0, ymm1
  vmovdqu [rdi+r14*8], ymm0
  add eax, 3
  movzx r14d, al
  dec r15
  jne loop
  ret
