# title: three-point stencil, FP64, scalar
# loop: stencil3
# items: 1
# features: avx2 fma
# a: fp64 4096
# b: zero 4096
.intel_syntax noprefix
  mov rax, 0x3fd0000000000000
  vmovq xmm15, rax
  vmovq xmm14, rax
  xor eax, eax
  mov r14d, eax
loop:
  vmovsd xmm0, qword ptr [rsi+r14*8-8]
  vaddsd xmm0, xmm0, qword ptr [rsi+r14*8+8]
  vmulsd xmm0, xmm0, xmm15
  vfmadd231sd xmm0, xmm14, qword ptr [rsi+r14*8]
  vmovsd qword ptr [rdi+r14*8], xmm0
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
