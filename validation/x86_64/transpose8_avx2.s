# title: transpose of 8 x 8 FP32, AVX2
# loop: transpose8
# items: 64
# features: avx
# a: fp32 4096
# b: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8+0]
  vmovups ymm1, [rsi+r14*8+32]
  vmovups ymm2, [rsi+r14*8+64]
  vmovups ymm3, [rsi+r14*8+96]
  vmovups ymm4, [rsi+r14*8+128]
  vmovups ymm5, [rsi+r14*8+160]
  vmovups ymm6, [rsi+r14*8+192]
  vmovups ymm7, [rsi+r14*8+224]
  vunpcklps ymm8, ymm0, ymm1
  vunpckhps ymm9, ymm0, ymm1
  vunpcklps ymm10, ymm2, ymm3
  vunpckhps ymm11, ymm2, ymm3
  vunpcklps ymm12, ymm4, ymm5
  vunpckhps ymm13, ymm4, ymm5
  vunpcklps ymm14, ymm6, ymm7
  vunpckhps ymm15, ymm6, ymm7
  vshufps ymm0, ymm8, ymm10, 0x44
  vshufps ymm1, ymm8, ymm10, 0xee
  vshufps ymm2, ymm9, ymm11, 0x44
  vshufps ymm3, ymm9, ymm11, 0xee
  vshufps ymm4, ymm12, ymm14, 0x44
  vshufps ymm5, ymm12, ymm14, 0xee
  vshufps ymm6, ymm13, ymm15, 0x44
  vshufps ymm7, ymm13, ymm15, 0xee
  vperm2f128 ymm8, ymm0, ymm4, 0x20
  vperm2f128 ymm12, ymm0, ymm4, 0x31
  vperm2f128 ymm9, ymm1, ymm5, 0x20
  vperm2f128 ymm13, ymm1, ymm5, 0x31
  vperm2f128 ymm10, ymm2, ymm6, 0x20
  vperm2f128 ymm14, ymm2, ymm6, 0x31
  vperm2f128 ymm11, ymm3, ymm7, 0x20
  vperm2f128 ymm15, ymm3, ymm7, 0x31
  vmovups [rdi+r14*8+0], ymm8
  vmovups [rdi+r14*8+32], ymm9
  vmovups [rdi+r14*8+64], ymm10
  vmovups [rdi+r14*8+96], ymm11
  vmovups [rdi+r14*8+128], ymm12
  vmovups [rdi+r14*8+160], ymm13
  vmovups [rdi+r14*8+192], ymm14
  vmovups [rdi+r14*8+224], ymm15
  add eax, 32
  movzx r14d, al
  dec r15
  jne loop
  ret
