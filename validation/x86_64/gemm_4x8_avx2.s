# title: matrix product of FP32, micro-kernel of 4 x 8, AVX2
# loop: gemm
# items: 64
# features: avx2 fma
# a: fp32 4096
# b: fp32 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  vxorps xmm1, xmm1, xmm1
  vxorps xmm2, xmm2, xmm2
  vxorps xmm3, xmm3, xmm3
  xor ecx, ecx
  xor eax, eax
  mov r14d, eax
  mov r12d, ecx
loop:
  vmovups ymm12, [rsi+r14*8]
  vbroadcastss ymm14, dword ptr [rdi+r12*8+0]
  vfmadd231ps ymm0, ymm12, ymm14
  vbroadcastss ymm14, dword ptr [rdi+r12*8+4]
  vfmadd231ps ymm1, ymm12, ymm14
  vbroadcastss ymm14, dword ptr [rdi+r12*8+8]
  vfmadd231ps ymm2, ymm12, ymm14
  vbroadcastss ymm14, dword ptr [rdi+r12*8+12]
  vfmadd231ps ymm3, ymm12, ymm14
  add eax, 4
  movzx r14d, al
  add ecx, 2
  movzx r12d, cl
  dec r15
  jne loop
  ret
