# title: clamp of FP32, AVX2
# loop: clamp
# items: 8
# features: avx
# a: fp32 4096
# b: zero 4096
.intel_syntax noprefix
  mov eax, 0x3f900000
  vmovd xmm15, eax
  vbroadcastss ymm15, xmm15
  mov eax, 0x3fe00000
  vmovd xmm14, eax
  vbroadcastss ymm14, xmm14
  xor eax, eax
  mov r14d, eax
loop:
  vmaxps ymm0, ymm15, [rsi+r14*8]
  vminps ymm0, ymm0, ymm14
  vmovups [rdi+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
