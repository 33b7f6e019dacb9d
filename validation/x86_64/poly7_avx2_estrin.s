# title: polynomial of degree 7 by Estrin, FP64, AVX2
# loop: poly7
# items: 4
# features: avx2 fma
# a: fp64 4096
# b: zero 4096
.intel_syntax noprefix
  mov rax, 0x3fb999999999999a
  vmovq xmm15, rax
  vbroadcastsd ymm15, xmm15
  mov rax, 0x3fb999999999a99a
  vmovq xmm14, rax
  vbroadcastsd ymm14, xmm14
  mov rax, 0x3fb999999999b99a
  vmovq xmm13, rax
  vbroadcastsd ymm13, xmm13
  mov rax, 0x3fb999999999c99a
  vmovq xmm12, rax
  vbroadcastsd ymm12, xmm12
  mov rax, 0x3fb999999999d99a
  vmovq xmm11, rax
  vbroadcastsd ymm11, xmm11
  mov rax, 0x3fb999999999e99a
  vmovq xmm10, rax
  vbroadcastsd ymm10, xmm10
  mov rax, 0x3fb999999999f99a
  vmovq xmm9, rax
  vbroadcastsd ymm9, xmm9
  mov rax, 0x3fb99999999a099a
  vmovq xmm8, rax
  vbroadcastsd ymm8, xmm8
  xor eax, eax
  mov r14d, eax
loop:
  vmovupd ymm0, [rsi+r14*8]
  vmulpd ymm1, ymm0, ymm0
  vmovapd ymm2, ymm15
  vfmadd213pd ymm2, ymm0, ymm14
  vmovapd ymm3, ymm13
  vfmadd213pd ymm3, ymm0, ymm12
  vmovapd ymm4, ymm11
  vfmadd213pd ymm4, ymm0, ymm10
  vmovapd ymm5, ymm9
  vfmadd213pd ymm5, ymm0, ymm8
  vmulpd ymm6, ymm1, ymm1
  vfmadd213pd ymm2, ymm1, ymm3
  vfmadd213pd ymm4, ymm1, ymm5
  vfmadd213pd ymm2, ymm6, ymm4
  vmovupd [rdi+r14*8], ymm2
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
