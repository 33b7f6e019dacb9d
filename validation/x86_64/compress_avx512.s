# title: values above a bound moved together, AVX-512
# loop: compress
# items: 16
# features: avx512f
# a: fp32 4096
# c: zero 4096
.intel_syntax noprefix
  mov eax, 0x3fc00000
  vmovd xmm15, eax
  vbroadcastss zmm15, xmm15
  xor eax, eax
  mov r14d, eax
loop:
  vmovups zmm1, [rsi+r14*8]
  vcmpps k1, zmm15, zmm1, 1
  vcompressps zmm0{k1}{z}, zmm1
  vmovups [rdx+r14*8], zmm0
  add eax, 8
  movzx r14d, al
  dec r15
  jne loop
  ret
