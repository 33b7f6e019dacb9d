# title: transpose of 8 x 8 FP32, AVX2, half of the lanes joined by loads
# loop: transpose8
# items: 64
# features: avx
# a: fp32 4096
# b: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  vmovups xmm0, [rsi+r14*8+0]
  vinsertf128 ymm0, ymm0, [rsi+r14*8+128], 1
  vmovups xmm4, [rsi+r14*8+16]
  vinsertf128 ymm4, ymm4, [rsi+r14*8+144], 1
  vmovups xmm1, [rsi+r14*8+32]
  vinsertf128 ymm1, ymm1, [rsi+r14*8+160], 1
  vmovups xmm5, [rsi+r14*8+48]
  vinsertf128 ymm5, ymm5, [rsi+r14*8+176], 1
  vmovups xmm2, [rsi+r14*8+64]
  vinsertf128 ymm2, ymm2, [rsi+r14*8+192], 1
  vmovups xmm6, [rsi+r14*8+80]
  vinsertf128 ymm6, ymm6, [rsi+r14*8+208], 1
  vmovups xmm3, [rsi+r14*8+96]
  vinsertf128 ymm3, ymm3, [rsi+r14*8+224], 1
  vmovups xmm7, [rsi+r14*8+112]
  vinsertf128 ymm7, ymm7, [rsi+r14*8+240], 1
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
  vmovups [rdi+r14*8+0], ymm0
  vmovups [rdi+r14*8+32], ymm1
  vmovups [rdi+r14*8+64], ymm2
  vmovups [rdi+r14*8+96], ymm3
  vmovups [rdi+r14*8+128], ymm4
  vmovups [rdi+r14*8+160], ymm5
  vmovups [rdi+r14*8+192], ymm6
  vmovups [rdi+r14*8+224], ymm7
  add eax, 32
  movzx r14d, al
  dec r15
  jne loop
  ret
