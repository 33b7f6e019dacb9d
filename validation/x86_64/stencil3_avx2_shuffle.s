# title: three-point stencil, FP64, AVX2, neighbours by permutes instead of loads
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
  vxorps ymm1, ymm1, ymm1
  vxorps ymm2, ymm2, ymm2
  mov r14d, eax
loop:
  vmovupd ymm3, [rsi+r14*8+32]
  vperm2f128 ymm4, ymm2, ymm3, 0x21
  vshufpd ymm5, ymm2, ymm4, 5
  vperm2f128 ymm6, ymm1, ymm2, 0x21
  vshufpd ymm7, ymm6, ymm2, 5
  vaddpd ymm0, ymm5, ymm7
  vmulpd ymm0, ymm0, ymm15
  vfmadd231pd ymm0, ymm14, ymm2
  vmovupd [rdi+r14*8], ymm0
  vmovapd ymm1, ymm2
  vmovapd ymm2, ymm3
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
