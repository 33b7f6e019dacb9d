# title: masked sum of FP32 above a bound, AVX-512
# loop: select_sum
# items: 16
# features: avx512f
# a: fp32 4096
.intel_syntax noprefix
  mov eax, 0x3fc00000
  vmovd xmm15, eax
  vbroadcastss zmm15, xmm15
  vpxor xmm0, xmm0, xmm0
  xor eax, eax
  mov r14d, eax
loop:
  vmovups zmm1, [rsi+r14*8]
  vcmpps k1, zmm15, zmm1, 1
  vaddps zmm0{k1}, zmm0, zmm1
  add eax, 8
  movzx r14d, al
  dec r15
  jne loop
  ret
