# title: bits of bytes in reverse order by table, AVX2
# loop: bit_reverse_bytes
# items: 32
# features: avx2
# a: int 4096
# c: zero 4096
# held-out: yes
.intel_syntax noprefix
  mov eax, 0x0f0f0f0f
  vmovd xmm15, eax
  vpbroadcastd ymm15, xmm15
  vmovdqu ymm13, [rsi]
  vmovdqu ymm14, [rsi+32]
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu ymm0, [rsi+r14*8]
  vpand ymm1, ymm0, ymm15
  vpsrlw ymm0, ymm0, 4
  vpand ymm0, ymm0, ymm15
  vpshufb ymm1, ymm13, ymm1
  vpshufb ymm0, ymm14, ymm0
  vpor ymm0, ymm0, ymm1
  vmovdqu [rdx+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
