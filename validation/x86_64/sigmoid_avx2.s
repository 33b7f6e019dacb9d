# title: x / (1 + |x|), AVX2
# loop: sigmoid
# items: 8
# features: avx2
# a: fp32 4096
# c: zero 4096
# held-out: yes
.intel_syntax noprefix
  mov eax, 0x7fffffff
  vmovd xmm14, eax
  vpbroadcastd ymm14, xmm14
  mov eax, 0x3f800000
  vmovd xmm15, eax
  vbroadcastss ymm15, xmm15
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8]
  vandps ymm1, ymm0, ymm14
  vaddps ymm1, ymm1, ymm15
  vdivps ymm0, ymm0, ymm1
  vmovups [rdx+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
