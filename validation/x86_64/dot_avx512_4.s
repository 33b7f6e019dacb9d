# title: dot product of FP32, AVX-512, four accumulators
# loop: dot
# items: 64
# features: avx512f
# a: fp32 4096
# b: fp32 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  vxorps xmm1, xmm1, xmm1
  vxorps xmm2, xmm2, xmm2
  vxorps xmm3, xmm3, xmm3
  xor eax, eax
  mov r14d, eax
loop:
  vmovups zmm4, [rsi+r14*8+0]
  vmovups zmm5, [rsi+r14*8+64]
  vmovups zmm6, [rsi+r14*8+128]
  vmovups zmm7, [rsi+r14*8+192]
  vfmadd231ps zmm0, zmm4, [rdi+r14*8+0]
  vfmadd231ps zmm1, zmm5, [rdi+r14*8+64]
  vfmadd231ps zmm2, zmm6, [rdi+r14*8+128]
  vfmadd231ps zmm3, zmm7, [rdi+r14*8+192]
  add eax, 32
  movzx r14d, al
  dec r15
  jne loop
  ret
