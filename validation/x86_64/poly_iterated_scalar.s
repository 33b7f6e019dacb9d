# title: iterated quadratic map, FP64, scalar: every step needs the last
# loop: iterate
# items: 1
# features: avx2 fma
.intel_syntax noprefix
  mov rax, 0x3fb999999999999a
  vmovq xmm15, rax
  vbroadcastsd ymm15, xmm15
  mov rax, 0x3fb999999999a99a
  vmovq xmm14, rax
  vbroadcastsd ymm14, xmm14
  vmovapd xmm0, xmm15
loop:
  vmulsd xmm1, xmm0, xmm0
  vfmadd213sd xmm0, xmm15, xmm1
  vmulsd xmm0, xmm0, xmm14
  dec r15
  jne loop
  ret
