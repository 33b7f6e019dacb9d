# title: matrix product of FP64, micro-kernel of 4 x 8, AVX2
# loop: dgemm
# items: 64
# features: avx2 fma
# a: fp64 4096
# b: fp64 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  vxorps xmm1, xmm1, xmm1
  vxorps xmm2, xmm2, xmm2
  vxorps xmm3, xmm3, xmm3
  vxorps xmm4, xmm4, xmm4
  vxorps xmm5, xmm5, xmm5
  vxorps xmm6, xmm6, xmm6
  vxorps xmm7, xmm7, xmm7
  xor ecx, ecx
  xor eax, eax
  mov r14d, eax
  mov r12d, ecx
loop:
  vmovupd ymm8, [rsi+r14*8]
  vmovupd ymm9, [rsi+r14*8+32]
  vbroadcastsd ymm10, qword ptr [rdi+r12*8+0]
  vfmadd231pd ymm0, ymm8, ymm10
  vfmadd231pd ymm1, ymm9, ymm10
  vbroadcastsd ymm10, qword ptr [rdi+r12*8+8]
  vfmadd231pd ymm2, ymm8, ymm10
  vfmadd231pd ymm3, ymm9, ymm10
  vbroadcastsd ymm10, qword ptr [rdi+r12*8+16]
  vfmadd231pd ymm4, ymm8, ymm10
  vfmadd231pd ymm5, ymm9, ymm10
  vbroadcastsd ymm10, qword ptr [rdi+r12*8+24]
  vfmadd231pd ymm6, ymm8, ymm10
  vfmadd231pd ymm7, ymm9, ymm10
  add eax, 8
  movzx r14d, al
  add ecx, 4
  movzx r12d, cl
  dec r15
  jne loop
  ret
