# title: y += a x, FP32, AVX-512, unrolled twice
# loop: axpy
# items: 32
# features: avx512f
# a: zero 4096
# b: fp32 4096
.intel_syntax noprefix
  mov eax, 0x3f000000
  vmovd xmm15, eax
  vbroadcastss zmm15, xmm15
  xor eax, eax
  mov r14d, eax
loop:
  vmovups zmm0, [rdi+r14*8+0]
  vfmadd231ps zmm0, zmm15, [rsi+r14*8+0]
  vmovups [rdi+r14*8+0], zmm0
  vmovups zmm1, [rdi+r14*8+64]
  vfmadd231ps zmm1, zmm15, [rsi+r14*8+64]
  vmovups [rdi+r14*8+64], zmm1
  add eax, 16
  movzx r14d, al
  dec r15
  jne loop
  ret
