# title: prefix sum of INT32, AVX2: shifts, adds, carry across lanes
# loop: prefix_sum
# items: 8
# features: avx2
# a: int 4096
# b: zero 4096
.intel_syntax noprefix
  mov eax, 7
  vmovd xmm15, eax
  vpbroadcastd ymm15, xmm15
  vpxor xmm2, xmm2, xmm2
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu ymm0, [rsi+r14*8]
  vpslldq ymm1, ymm0, 4
  vpaddd ymm0, ymm0, ymm1
  vpslldq ymm1, ymm0, 8
  vpaddd ymm0, ymm0, ymm1
  vpshufd ymm1, ymm0, 0xff
  vperm2i128 ymm1, ymm1, ymm1, 0x08
  vpaddd ymm0, ymm0, ymm1
  vpaddd ymm0, ymm0, ymm2
  vmovdqu [rdi+r14*8], ymm0
  vpermd ymm2, ymm15, ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
