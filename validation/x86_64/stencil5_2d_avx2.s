# title: five-point stencil in two dimensions, FP32, AVX2, rows of 512 bytes
# loop: stencil5
# items: 8
# features: avx2 fma
# a: fp32 8192
# b: zero 8192
.intel_syntax noprefix
  mov eax, 0x3e000000
  vmovd xmm15, eax
  vbroadcastss ymm15, xmm15
  vmovaps ymm14, ymm15
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8-4]
  vaddps ymm0, ymm0, [rsi+r14*8+4]
  vaddps ymm0, ymm0, [rsi+r14*8-512]
  vaddps ymm0, ymm0, [rsi+r14*8+512]
  vmulps ymm0, ymm0, ymm15
  vfmadd231ps ymm0, ymm14, [rsi+r14*8]
  vmovups [rdi+r14*8], ymm0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
