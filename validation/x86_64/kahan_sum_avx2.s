# title: compensated sum of FP64, AVX2
# loop: kahan
# items: 4
# features: avx2
# a: fp64 4096
# held-out: yes
.intel_syntax noprefix
  vxorpd xmm0, xmm0, xmm0
  vxorpd xmm1, xmm1, xmm1
  xor eax, eax
  mov r14d, eax
loop:
  vmovupd ymm2, [rsi+r14*8]
  vsubpd ymm2, ymm2, ymm1
  vaddpd ymm3, ymm0, ymm2
  vsubpd ymm1, ymm3, ymm0
  vsubpd ymm1, ymm1, ymm2
  vmovapd ymm0, ymm3
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
