# title: logistic map, four vectors of FP64 at once, AVX2
# loop: logistic_map
# items: 16
# features: avx2
# a: fp64 64
# held-out: yes
.intel_syntax noprefix
  vmovupd ymm0, [rsi]
  vmovupd ymm1, [rsi+32]
  vmovupd ymm2, [rsi+64]
  vmovupd ymm3, [rsi+96]
  mov rax, 0x3ff0000000000000
  vmovq xmm15, rax
  vbroadcastsd ymm15, xmm15
  vmulpd ymm0, ymm0, ymm15
  xor eax, eax
loop:
  vsubpd ymm4, ymm15, ymm0
  vsubpd ymm5, ymm15, ymm1
  vsubpd ymm6, ymm15, ymm2
  vsubpd ymm7, ymm15, ymm3
  vmulpd ymm0, ymm0, ymm4
  vmulpd ymm1, ymm1, ymm5
  vmulpd ymm2, ymm2, ymm6
  vmulpd ymm3, ymm3, ymm7
  vmaxpd ymm0, ymm0, ymm15
  vmaxpd ymm1, ymm1, ymm15
  vmaxpd ymm2, ymm2, ymm15
  vmaxpd ymm3, ymm3, ymm15
  dec r15
  jne loop
  ret
