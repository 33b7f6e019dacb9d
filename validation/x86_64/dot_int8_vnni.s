# title: dot product of INT8, VNNI at 256 bits, two accumulators
# loop: dot_int8
# items: 64
# features: avx512vnni avx512vl
# a: int 4096
# b: int 4096
.intel_syntax noprefix
  vpxor xmm0, xmm0, xmm0
  vpxor xmm1, xmm1, xmm1
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu ymm2, [rsi+r14*8]
  vpdpbusd ymm0, ymm2, [rdi+r14*8]
  vmovdqu ymm3, [rsi+r14*8+32]
  vpdpbusd ymm1, ymm3, [rdi+r14*8+32]
  add eax, 8
  movzx r14d, al
  dec r15
  jne loop
  ret
