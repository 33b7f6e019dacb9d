# title: sum of absolute differences of bytes, AVX2
# loop: sad
# items: 32
# features: avx2
# a: int 4096
# b: int 4096
.intel_syntax noprefix
  vpxor xmm1, xmm1, xmm1
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu ymm0, [rsi+r14*8]
  vpsadbw ymm0, ymm0, [rdi+r14*8]
  vpaddq ymm1, ymm1, ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
