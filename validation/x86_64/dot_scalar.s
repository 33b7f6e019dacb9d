# title: dot product of FP32, scalar
# loop: dot
# items: 1
# features: avx2 fma
# a: fp32 4096
# b: fp32 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  xor eax, eax
  mov r14d, eax
loop:
  vmovss xmm1, dword ptr [rsi+r14*4]
  vfmadd231ss xmm0, xmm1, dword ptr [rdi+r14*4]
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
