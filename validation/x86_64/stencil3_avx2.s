# title: three-point stencil, FP64, AVX2
# loop: stencil3
# items: 4
# features: avx2 fma
# a: fp64 4096
# b: zero 4096
.intel_syntax noprefix
  mov rax, 0x3fd0000000000000
  vmovq xmm15, rax
  vbroadcastsd ymm15, xmm15
  vmovapd ymm14, ymm15
  xor eax, eax
  mov r14d, eax
loop:
  vmovupd ymm0, [rsi+r14*8-8]
  vaddpd ymm0, ymm0, [rsi+r14*8+8]
  vmulpd ymm0, ymm0, ymm15
  vfmadd231pd ymm0, ymm14, [rsi+r14*8]
  vmovupd [rdi+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
