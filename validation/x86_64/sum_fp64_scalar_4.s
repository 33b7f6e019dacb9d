# title: sum of FP64, scalar, four accumulators
# loop: sum
# items: 4
# features: avx
# a: fp64 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  vxorps xmm1, xmm1, xmm1
  vxorps xmm2, xmm2, xmm2
  vxorps xmm3, xmm3, xmm3
  xor eax, eax
  mov r14d, eax
loop:
  vaddsd xmm0, xmm0, qword ptr [rsi+r14*8+0]
  vaddsd xmm1, xmm1, qword ptr [rsi+r14*8+8]
  vaddsd xmm2, xmm2, qword ptr [rsi+r14*8+16]
  vaddsd xmm3, xmm3, qword ptr [rsi+r14*8+24]
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
