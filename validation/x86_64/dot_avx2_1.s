# title: dot product of FP32, AVX2, one accumulator
# loop: dot
# items: 8
# features: avx2 fma
# a: fp32 4096
# b: fp32 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm1, [rsi+r14*8]
  vfmadd231ps ymm0, ymm1, [rdi+r14*8]
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
