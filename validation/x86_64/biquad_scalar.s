# title: recursive filter of second order, FP64
# loop: biquad
# items: 1
# features: avx2 fma
# a: fp64 4096
# c: zero 4096
# held-out: yes
.intel_syntax noprefix
  mov rax, 0x3fb0000000000000
  vmovq xmm8, rax
  vmovq xmm9, rax
  vmovq xmm10, rax
  vmovq xmm11, rax
  vxorpd xmm0, xmm0, xmm0
  vxorpd xmm1, xmm1, xmm1
  xor eax, eax
  mov r14d, eax
loop:
  vmovsd xmm5, [rsi+r14*8]
  vfmadd231sd xmm0, xmm5, xmm8
  vmovapd xmm6, xmm0
  vmovapd xmm0, xmm1
  vfmadd231sd xmm0, xmm5, xmm9
  vfnmadd231sd xmm0, xmm6, xmm10
  vmulsd xmm1, xmm5, xmm8
  vfnmadd231sd xmm1, xmm6, xmm11
  vmovsd [rdx+r14*8], xmm6
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
