# title: every second value put in place from a dense list, AVX-512
# loop: expand
# items: 16
# features: avx512f
# a: fp32 4096
# b: zero 4096
.intel_syntax noprefix
  mov eax, 0x5555
  kmovw k1, eax
  xor eax, eax
  mov r14d, eax
loop:
  vmovups zmm0, [rsi+r14*8]
  vexpandps zmm1{k1}{z}, zmm0
  vaddps zmm1, zmm1, zmm0
  vmovups [rdi+r14*8], zmm1
  add eax, 8
  movzx r14d, al
  dec r15
  jne loop
  ret
