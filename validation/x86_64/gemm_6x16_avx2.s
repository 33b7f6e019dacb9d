# title: matrix product of FP32, micro-kernel of 6 x 16, AVX2
# loop: gemm
# items: 192
# features: avx2 fma
# a: fp32 4096
# b: fp32 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  vxorps xmm1, xmm1, xmm1
  vxorps xmm2, xmm2, xmm2
  vxorps xmm3, xmm3, xmm3
  vxorps xmm4, xmm4, xmm4
  vxorps xmm5, xmm5, xmm5
  vxorps xmm6, xmm6, xmm6
  vxorps xmm7, xmm7, xmm7
  vxorps xmm8, xmm8, xmm8
  vxorps xmm9, xmm9, xmm9
  vxorps xmm10, xmm10, xmm10
  vxorps xmm11, xmm11, xmm11
  xor ecx, ecx
  xor eax, eax
  mov r14d, eax
  mov r12d, ecx
loop:
  vmovups ymm12, [rsi+r14*8]
  vmovups ymm13, [rsi+r14*8+32]
  vbroadcastss ymm14, dword ptr [rdi+r12*8+0]
  vfmadd231ps ymm0, ymm12, ymm14
  vfmadd231ps ymm1, ymm13, ymm14
  vbroadcastss ymm14, dword ptr [rdi+r12*8+4]
  vfmadd231ps ymm2, ymm12, ymm14
  vfmadd231ps ymm3, ymm13, ymm14
  vbroadcastss ymm14, dword ptr [rdi+r12*8+8]
  vfmadd231ps ymm4, ymm12, ymm14
  vfmadd231ps ymm5, ymm13, ymm14
  vbroadcastss ymm14, dword ptr [rdi+r12*8+12]
  vfmadd231ps ymm6, ymm12, ymm14
  vfmadd231ps ymm7, ymm13, ymm14
  vbroadcastss ymm14, dword ptr [rdi+r12*8+16]
  vfmadd231ps ymm8, ymm12, ymm14
  vfmadd231ps ymm9, ymm13, ymm14
  vbroadcastss ymm14, dword ptr [rdi+r12*8+20]
  vfmadd231ps ymm10, ymm12, ymm14
  vfmadd231ps ymm11, ymm13, ymm14
  add eax, 8
  movzx r14d, al
  add ecx, 4
  movzx r12d, cl
  dec r15
  jne loop
  ret
