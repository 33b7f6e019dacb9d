# title: product of a 4 x 4 matrix and vectors, FP64, AVX2
# loop: matvec4
# items: 4
# features: avx2 fma
# a: fp64 4096
# c: zero 4096
# held-out: yes
.intel_syntax noprefix
  vmovupd ymm12, [rsi]
  vmovupd ymm13, [rsi+32]
  vmovupd ymm14, [rsi+64]
  vmovupd ymm15, [rsi+96]
  xor eax, eax
  mov r14d, eax
loop:
  vbroadcastsd ymm1, [rsi+r14*8]
  vbroadcastsd ymm2, [rsi+r14*8+8]
  vbroadcastsd ymm3, [rsi+r14*8+16]
  vbroadcastsd ymm4, [rsi+r14*8+24]
  vmulpd ymm0, ymm1, ymm12
  vfmadd231pd ymm0, ymm2, ymm13
  vfmadd231pd ymm0, ymm3, ymm14
  vfmadd231pd ymm0, ymm4, ymm15
  vmovupd [rdx+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
