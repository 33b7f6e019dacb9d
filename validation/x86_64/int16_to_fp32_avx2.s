# title: INT16 to FP32 and scale, AVX2
# loop: int16_to_fp32
# items: 8
# features: avx2
# a: int 4096
# b: zero 4096
.intel_syntax noprefix
  mov eax, 0x38000000
  vmovd xmm15, eax
  vbroadcastss ymm15, xmm15
  xor eax, eax
  mov r14d, eax
loop:
  vpmovsxwd ymm0, [rsi+r14*4]
  vcvtdq2ps ymm0, ymm0
  vmulps ymm0, ymm0, ymm15
  vmovups [rdi+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
