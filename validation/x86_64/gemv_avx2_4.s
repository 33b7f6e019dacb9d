# title: matrix times vector, four rows, FP32, AVX2
# loop: gemv
# items: 32
# features: avx2 fma
# a: fp32 8192
# b: fp32 4096
.intel_syntax noprefix
  vxorps xmm0, xmm0, xmm0
  vxorps xmm1, xmm1, xmm1
  vxorps xmm2, xmm2, xmm2
  vxorps xmm3, xmm3, xmm3
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm4, [rdi+r14*8]
  vfmadd231ps ymm0, ymm4, [rsi+r14*8+0]
  vfmadd231ps ymm1, ymm4, [rsi+r14*8+2048]
  vfmadd231ps ymm2, ymm4, [rsi+r14*8+4096]
  vfmadd231ps ymm3, ymm4, [rsi+r14*8+6144]
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
