# title: exponential of FP32, AVX2: range reduction, polynomial of degree 5, scale
# loop: exp
# items: 8
# features: avx2 fma
# a: fp32 4096
# b: zero 4096
.intel_syntax noprefix
  mov eax, 0x3fb8aa3b
  vmovd xmm15, eax
  vbroadcastss ymm15, xmm15
  mov eax, 0x3f317218
  vmovd xmm14, eax
  vbroadcastss ymm14, xmm14
  mov eax, 0x3c088889
  vmovd xmm13, eax
  vbroadcastss ymm13, xmm13
  mov eax, 0x3d2aaaab
  vmovd xmm12, eax
  vbroadcastss ymm12, xmm12
  mov eax, 0x3e2aaaab
  vmovd xmm11, eax
  vbroadcastss ymm11, xmm11
  mov eax, 0x3f000000
  vmovd xmm10, eax
  vbroadcastss ymm10, xmm10
  mov eax, 0x3f800000
  vmovd xmm9, eax
  vbroadcastss ymm9, xmm9
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8]
  vmulps ymm1, ymm0, ymm15
  vroundps ymm1, ymm1, 0
  vfnmadd231ps ymm0, ymm1, ymm14
  vmovaps ymm2, ymm13
  vfmadd213ps ymm2, ymm0, ymm12
  vfmadd213ps ymm2, ymm0, ymm11
  vfmadd213ps ymm2, ymm0, ymm10
  vfmadd213ps ymm2, ymm0, ymm9
  vfmadd213ps ymm2, ymm0, ymm9
  vcvtps2dq ymm1, ymm1
  vpslld ymm1, ymm1, 23
  vpaddd ymm2, ymm2, ymm1
  vmovups [rdi+r14*8], ymm2
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
