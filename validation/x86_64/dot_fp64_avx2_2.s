# title: dot product of FP64, AVX2, two accumulators
# loop: dot_fp64
# items: 8
# features: avx2 fma
# a: fp64 4096
# b: fp64 4096
# held-out: yes
.intel_syntax noprefix
  vxorpd xmm0, xmm0, xmm0
  vxorpd xmm1, xmm1, xmm1
  xor eax, eax
  mov r14d, eax
loop:
  vmovupd ymm2, [rsi+r14*8]
  vmovupd ymm3, [rsi+r14*8+32]
  vfmadd231pd ymm0, ymm2, [rdi+r14*8]
  vfmadd231pd ymm1, ymm3, [rdi+r14*8+32]
  add eax, 8
  movzx r14d, al
  dec r15
  jne loop
  ret
