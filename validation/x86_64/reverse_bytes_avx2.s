# title: reverse an array of bytes, AVX2
# loop: reverse
# items: 32
# features: avx2
# a: int 4096
# b: zero 4096
# c: int 4096
.intel_syntax noprefix
  vmovdqu ymm15, [rdx]
  mov ebx, 252
  xor eax, eax
  mov r12d, ebx
  mov r14d, eax
loop:
  vmovdqu ymm0, [rsi+r14*8]
  vpshufb ymm0, ymm0, ymm15
  vpermq ymm0, ymm0, 0x4e
  vmovdqu [rdi+r12*8], ymm0
  add ebx, -4
  movzx r12d, bl
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
