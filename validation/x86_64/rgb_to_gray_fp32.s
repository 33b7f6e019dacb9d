# title: grey from planes of red, green and blue, FP32, AVX2
# loop: rgb_to_gray
# items: 8
# features: avx2 fma
# a: fp32 12288
# b: zero 4096
.intel_syntax noprefix
  vmovups ymm15, [rsi]
  vmovups ymm14, [rsi+32]
  vmovups ymm13, [rsi+64]
  xor eax, eax
  mov r14d, eax
loop:
  vmulps ymm0, ymm15, [rsi+r14*8]
  vfmadd231ps ymm0, ymm14, [rsi+r14*8+4096]
  vfmadd231ps ymm0, ymm13, [rsi+r14*8+8192]
  vmovups [rdi+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
