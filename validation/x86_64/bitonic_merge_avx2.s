# title: step of a bitonic merge, FP32, AVX2: shuffle, minimum, maximum, blend
# loop: bitonic
# items: 8
# features: avx2
# a: fp32 4096
# b: zero 4096
# c: int 4096
.intel_syntax noprefix
  vmovdqu ymm15, [rdx]
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8]
  vpermps ymm1, ymm15, ymm0
  vminps ymm2, ymm0, ymm1
  vmaxps ymm3, ymm0, ymm1
  vblendps ymm0, ymm2, ymm3, 0xf0
  vshufps ymm1, ymm0, ymm0, 0x4e
  vminps ymm2, ymm0, ymm1
  vmaxps ymm3, ymm0, ymm1
  vblendps ymm0, ymm2, ymm3, 0xcc
  vshufps ymm1, ymm0, ymm0, 0xb1
  vminps ymm2, ymm0, ymm1
  vmaxps ymm3, ymm0, ymm1
  vblendps ymm0, ymm2, ymm3, 0xaa
  vmovups [rdi+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
