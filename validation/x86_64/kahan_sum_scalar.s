# title: compensated sum of FP64
# loop: kahan
# items: 1
# features: avx
# a: fp64 4096
# held-out: yes
.intel_syntax noprefix
  vxorpd xmm0, xmm0, xmm0
  vxorpd xmm1, xmm1, xmm1
  xor eax, eax
  mov r14d, eax
loop:
  vmovsd xmm2, [rsi+r14*8]
  vsubsd xmm2, xmm2, xmm1
  vaddsd xmm3, xmm0, xmm2
  vsubsd xmm1, xmm3, xmm0
  vsubsd xmm1, xmm1, xmm2
  vmovapd xmm0, xmm3
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
