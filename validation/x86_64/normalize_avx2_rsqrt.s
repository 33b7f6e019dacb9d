# title: x / sqrt(x x + y y), FP32, AVX2, reciprocal root and one Newton step
# loop: normalize
# items: 8
# features: avx2 fma
# a: fp32 4096
# b: fp32 4096
# c: zero 4096
.intel_syntax noprefix
  mov eax, 0x3f000000
  vmovd xmm14, eax
  vbroadcastss ymm14, xmm14
  mov eax, 0x3fc00000
  vmovd xmm15, eax
  vbroadcastss ymm15, xmm15
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8]
  vmovups ymm1, [rdi+r14*8]
  vmulps ymm2, ymm0, ymm0
  vfmadd231ps ymm2, ymm1, ymm1
  vrsqrtps ymm3, ymm2
  vmulps ymm4, ymm3, ymm3
  vmulps ymm2, ymm2, ymm4
  vfnmadd132ps ymm2, ymm15, ymm14
  vmulps ymm3, ymm3, ymm2
  vmulps ymm0, ymm0, ymm3
  vmovups [rdx+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
