# title: sum of FP64, scalar, one accumulator
# loop: sum
# items: 1
# features: avx
# a: fp64 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  xor eax, eax
  mov r14d, eax
loop:
  vaddsd xmm0, xmm0, qword ptr [rsi+r14*8]
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
