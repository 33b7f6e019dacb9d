# title: dot product of FP64, AVX-512, one accumulator
# loop: dot_fp64
# items: 8
# features: avx512f
# a: fp64 4096
# b: fp64 4096
# held-out: yes
.intel_syntax noprefix
  vxorpd xmm0, xmm0, xmm0
  xor eax, eax
  mov r14d, eax
loop:
  vmovupd zmm2, [rsi+r14*8]
  vfmadd231pd zmm0, zmm2, [rdi+r14*8]
  add eax, 8
  movzx r14d, al
  dec r15
  jne loop
  ret
