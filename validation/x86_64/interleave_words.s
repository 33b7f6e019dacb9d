# title: a round of two independent halves: integers beside FMAs
# loop: mixed
# items: 1
# features: avx2 fma
# a: fp32 4096
.intel_syntax noprefix
  vmovups ymm15, [rsi]
  xor ebx, ebx
  xor ecx, ecx
  mov r8d, 3
  mov r9d, 5
  vxorps xmm0, xmm0, xmm0
  vxorps xmm1, xmm1, xmm1
  vxorps xmm2, xmm2, xmm2
  vxorps xmm3, xmm3, xmm3
  vxorps xmm4, xmm4, xmm4
  vxorps xmm5, xmm5, xmm5
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm8, [rsi+r14*8]
  vfmadd231ps ymm0, ymm8, ymm15
  vfmadd231ps ymm1, ymm8, ymm15
  vfmadd231ps ymm2, ymm8, ymm15
  vfmadd231ps ymm3, ymm8, ymm15
  vfmadd231ps ymm4, ymm8, ymm15
  vfmadd231ps ymm5, ymm8, ymm15
  add rbx, 3
  xor rcx, rbx
  shl rcx, 5
  add r8, rcx
  imul r9, r8
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
