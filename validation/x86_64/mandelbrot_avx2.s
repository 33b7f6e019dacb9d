# title: Mandelbrot step of four points, FP64, AVX2
# loop: mandelbrot
# items: 4
# features: avx2 fma
.intel_syntax noprefix
  mov rax, 0x4010000000000000
  vmovq xmm15, rax
  vbroadcastsd ymm15, xmm15
  mov rax, 0xbfb999999999999a
  vmovq xmm14, rax
  vbroadcastsd ymm14, xmm14
  mov rax, 0x3fb999999999999a
  vmovq xmm13, rax
  vbroadcastsd ymm13, xmm13
  vxorps xmm0, xmm0, xmm0
  vxorps xmm1, xmm1, xmm1
  vxorps xmm2, xmm2, xmm2
  vxorps xmm3, xmm3, xmm3
  vxorps xmm4, xmm4, xmm4
  vxorps xmm5, xmm5, xmm5
  vxorps xmm6, xmm6, xmm6
  vxorps xmm7, xmm7, xmm7
  vxorps xmm8, xmm8, xmm8
  vxorps xmm9, xmm9, xmm9
  vxorps xmm10, xmm10, xmm10
  vxorps xmm11, xmm11, xmm11
  vxorps xmm12, xmm12, xmm12
loop:
  vmulpd ymm4, ymm0, ymm0
  vmulpd ymm5, ymm1, ymm1
  vaddpd ymm6, ymm0, ymm0
  vfmadd213pd ymm1, ymm6, ymm13
  vsubpd ymm0, ymm4, ymm5
  vaddpd ymm0, ymm0, ymm14
  vaddpd ymm4, ymm4, ymm5
  vcmppd ymm4, ymm4, ymm15, 1
  vpsubq ymm12, ymm12, ymm4
  dec r15
  jne loop
  ret
