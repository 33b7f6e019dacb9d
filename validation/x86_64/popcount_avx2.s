# title: population count, AVX2: table by shuffle, sums of bytes
# loop: popcount
# items: 32
# features: avx2
# a: int 4096
# b: int 4096
.intel_syntax noprefix
  mov eax, 0x0f0f0f0f
  vmovd xmm15, eax
  vpbroadcastd ymm15, xmm15
  vmovdqu ymm14, [rdi]
  vpxor xmm13, xmm13, xmm13
  vpxor xmm2, xmm2, xmm2
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu ymm0, [rsi+r14*8]
  vpand ymm1, ymm0, ymm15
  vpsrlw ymm0, ymm0, 4
  vpand ymm0, ymm0, ymm15
  vpshufb ymm1, ymm14, ymm1
  vpshufb ymm0, ymm14, ymm0
  vpaddb ymm0, ymm0, ymm1
  vpsadbw ymm0, ymm0, ymm13
  vpaddq ymm2, ymm2, ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
