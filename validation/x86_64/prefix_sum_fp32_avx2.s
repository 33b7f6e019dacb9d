# title: prefix sum of FP32, AVX2
# loop: prefix_sum_fp32
# items: 8
# features: avx2
# a: fp32 4096
# b: zero 4096
.intel_syntax noprefix
  mov eax, 7
  vmovd xmm15, eax
  vpbroadcastd ymm15, xmm15
  vpxor xmm2, xmm2, xmm2
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8]
  vpslldq ymm1, ymm0, 4
  vaddps ymm0, ymm0, ymm1
  vpslldq ymm1, ymm0, 8
  vaddps ymm0, ymm0, ymm1
  vpshufd ymm1, ymm0, 0xff
  vperm2f128 ymm1, ymm1, ymm1, 0x08
  vaddps ymm0, ymm0, ymm1
  vaddps ymm0, ymm0, ymm2
  vmovups [rdi+r14*8], ymm0
  vpermps ymm2, ymm15, ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
