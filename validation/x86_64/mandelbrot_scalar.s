# title: Mandelbrot step, FP64, scalar
# loop: mandelbrot
# items: 1
# features: avx2 fma
.intel_syntax noprefix
  mov rax, 0x4010000000000000
  vmovq xmm15, rax
  mov rax, 0xbfb999999999999a
  vmovq xmm14, rax
  mov rax, 0x3fb999999999999a
  vmovq xmm13, rax
  vxorpd xmm0, xmm0, xmm0
  vxorpd xmm1, xmm1, xmm1
  xor ebx, ebx
loop:
  vmulsd xmm2, xmm0, xmm0
  vmulsd xmm3, xmm1, xmm1
  vaddsd xmm4, xmm2, xmm3
  vcomisd xmm15, xmm4
  adc rbx, 0
  vaddsd xmm5, xmm0, xmm0
  vfmadd213sd xmm1, xmm5, xmm13
  vsubsd xmm0, xmm2, xmm3
  vaddsd xmm0, xmm0, xmm14
  dec r15
  jne loop
  ret
