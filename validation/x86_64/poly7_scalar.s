# title: polynomial of degree 7 by Horner, FP64, scalar
# loop: poly7
# items: 1
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
  vmovsd xmm0, qword ptr [rsi+r14*8]
  vmovapd xmm1, xmm15
  vfmadd213sd xmm1, xmm0, xmm14
  vfmadd213sd xmm1, xmm0, xmm13
  vfmadd213sd xmm1, xmm0, xmm12
  vfmadd213sd xmm1, xmm0, xmm11
  vfmadd213sd xmm1, xmm0, xmm10
  vfmadd213sd xmm1, xmm0, xmm9
  vfmadd213sd xmm1, xmm0, xmm8
  vmovsd qword ptr [rdi+r14*8], xmm1
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
