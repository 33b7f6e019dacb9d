# title: filter of eight taps, FP32, AVX2, two sums
# loop: fir8
# items: 8
# features: avx2 fma
# a: fp32 4096
# b: zero 4096
.intel_syntax noprefix
  vmovups ymm8, [rsi+0]
  vmovups ymm9, [rsi+32]
  vmovups ymm10, [rsi+64]
  vmovups ymm11, [rsi+96]
  vmovups ymm12, [rsi+128]
  vmovups ymm13, [rsi+160]
  vmovups ymm14, [rsi+192]
  vmovups ymm15, [rsi+224]
  xor eax, eax
  mov r14d, eax
loop:
  vmulps ymm0, ymm8, [rsi+r14*8]
  vmulps ymm1, ymm9, [rsi+r14*8+4]
  vfmadd231ps ymm0, ymm10, [rsi+r14*8+8]
  vfmadd231ps ymm1, ymm11, [rsi+r14*8+12]
  vfmadd231ps ymm0, ymm12, [rsi+r14*8+16]
  vfmadd231ps ymm1, ymm13, [rsi+r14*8+20]
  vfmadd231ps ymm0, ymm14, [rsi+r14*8+24]
  vfmadd231ps ymm1, ymm15, [rsi+r14*8+28]
  vaddps ymm0, ymm0, ymm1
  vmovups [rdi+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
