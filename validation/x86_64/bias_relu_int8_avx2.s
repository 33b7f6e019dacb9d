# title: bias and rectifier on bytes, AVX2
# loop: bias_relu
# items: 32
# features: avx2
# a: int 4096
# b: zero 4096
# held-out: yes
.intel_syntax noprefix
  mov eax, 0x03030303
  vmovd xmm15, eax
  vpbroadcastd ymm15, xmm15
  vpxor xmm14, xmm14, xmm14
  xor eax, eax
  mov r14d, eax
loop:
  vpaddsb ymm0, ymm15, [rsi+r14*8]
  vpmaxsb ymm0, ymm0, ymm14
  vmovdqu [rdi+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
