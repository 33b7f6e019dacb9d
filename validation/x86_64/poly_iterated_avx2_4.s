# title: iterated quadratic map, FP64, AVX2, four chains
# loop: iterate
# items: 16
# features: avx2 fma
.intel_syntax noprefix
  mov rax, 0x3fb999999999999a
  vmovq xmm15, rax
  vbroadcastsd ymm15, xmm15
  mov rax, 0x3fb999999999a99a
  vmovq xmm14, rax
  vbroadcastsd ymm14, xmm14
  vmovapd ymm0, ymm15
  vmovapd ymm1, ymm15
  vmovapd ymm2, ymm15
  vmovapd ymm3, ymm15
loop:
  vmulpd ymm4, ymm0, ymm0
  vmulpd ymm5, ymm1, ymm1
  vmulpd ymm6, ymm2, ymm2
  vmulpd ymm7, ymm3, ymm3
  vfmadd213pd ymm0, ymm15, ymm4
  vfmadd213pd ymm1, ymm15, ymm5
  vfmadd213pd ymm2, ymm15, ymm6
  vfmadd213pd ymm3, ymm15, ymm7
  vmulpd ymm0, ymm0, ymm14
  vmulpd ymm1, ymm1, ymm14
  vmulpd ymm2, ymm2, ymm14
  vmulpd ymm3, ymm3, ymm14
  dec r15
  jne loop
  ret
