# title: y += a x, FP32, scalar
# loop: axpy
# items: 1
# features: avx2 fma
# a: zero 4096
# b: fp32 4096
.intel_syntax noprefix
  mov eax, 0x3f000000
  vmovd xmm15, eax
  vbroadcastss ymm15, xmm15
  xor eax, eax
  mov r14d, eax
loop:
  vmovss xmm0, dword ptr [rdi+r14*4]
  vfmadd231ss xmm0, xmm15, dword ptr [rsi+r14*4]
  vmovss dword ptr [rdi+r14*4], xmm0
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
