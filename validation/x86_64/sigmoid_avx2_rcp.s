# title: x / (1 + |x|) by reciprocal and one Newton step, AVX2
# loop: sigmoid
# items: 8
# features: avx2 fma
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
  vaddps ymm13, ymm15, ymm15
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8]
  vandps ymm1, ymm0, ymm14
  vaddps ymm1, ymm1, ymm15
  vrcpps ymm2, ymm1
  vfnmadd213ps ymm1, ymm2, ymm13
  vmulps ymm2, ymm2, ymm1
  vmulps ymm0, ymm0, ymm2
  vmovups [rdx+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
