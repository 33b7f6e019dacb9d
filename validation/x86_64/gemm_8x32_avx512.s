# title: matrix product of FP32, micro-kernel of 8 x 32, AVX-512, broadcasts as operands
# loop: gemm
# items: 512
# features: avx512f
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
  vxorps xmm12, xmm12, xmm12
  vxorps xmm13, xmm13, xmm13
  vxorps xmm14, xmm14, xmm14
  vxorps xmm15, xmm15, xmm15
  xor ecx, ecx
  xor eax, eax
  mov r14d, eax
  mov r12d, ecx
loop:
  vmovups zmm16, [rsi+r14*8]
  vmovups zmm17, [rsi+r14*8+64]
  vfmadd231ps zmm0, zmm16, dword ptr [rdi+r12*8+0]{1to16}
  vfmadd231ps zmm1, zmm17, dword ptr [rdi+r12*8+0]{1to16}
  vfmadd231ps zmm2, zmm16, dword ptr [rdi+r12*8+4]{1to16}
  vfmadd231ps zmm3, zmm17, dword ptr [rdi+r12*8+4]{1to16}
  vfmadd231ps zmm4, zmm16, dword ptr [rdi+r12*8+8]{1to16}
  vfmadd231ps zmm5, zmm17, dword ptr [rdi+r12*8+8]{1to16}
  vfmadd231ps zmm6, zmm16, dword ptr [rdi+r12*8+12]{1to16}
  vfmadd231ps zmm7, zmm17, dword ptr [rdi+r12*8+12]{1to16}
  vfmadd231ps zmm8, zmm16, dword ptr [rdi+r12*8+16]{1to16}
  vfmadd231ps zmm9, zmm17, dword ptr [rdi+r12*8+16]{1to16}
  vfmadd231ps zmm10, zmm16, dword ptr [rdi+r12*8+20]{1to16}
  vfmadd231ps zmm11, zmm17, dword ptr [rdi+r12*8+20]{1to16}
  vfmadd231ps zmm12, zmm16, dword ptr [rdi+r12*8+24]{1to16}
  vfmadd231ps zmm13, zmm17, dword ptr [rdi+r12*8+24]{1to16}
  vfmadd231ps zmm14, zmm16, dword ptr [rdi+r12*8+28]{1to16}
  vfmadd231ps zmm15, zmm17, dword ptr [rdi+r12*8+28]{1to16}
  add eax, 16
  movzx r14d, al
  add ecx, 4
  movzx r12d, cl
  dec r15
  jne loop
  ret
