# title: FP32 to INT8, AVX2: scale, convert, pack twice, order lanes
# loop: quantize
# items: 32
# features: avx2
# a: fp32 4096
# b: zero 4096
# c: int 4096
.intel_syntax noprefix
  mov eax, 0x42000000
  vmovd xmm15, eax
  vbroadcastss ymm15, xmm15
  vmovdqu ymm14, [rdx]
  xor eax, eax
  mov r14d, eax
loop:
  vmulps ymm0, ymm15, [rsi+r14*8+0]
  vcvtps2dq ymm0, ymm0
  vmulps ymm1, ymm15, [rsi+r14*8+32]
  vcvtps2dq ymm1, ymm1
  vmulps ymm2, ymm15, [rsi+r14*8+64]
  vcvtps2dq ymm2, ymm2
  vmulps ymm3, ymm15, [rsi+r14*8+96]
  vcvtps2dq ymm3, ymm3
  vpackssdw ymm0, ymm0, ymm1
  vpackssdw ymm2, ymm2, ymm3
  vpacksswb ymm0, ymm0, ymm2
  vpermd ymm0, ymm14, ymm0
  vmovdqu [rdi+r14*8], ymm0
  add eax, 16
  movzx r14d, al
  dec r15
  jne loop
  ret
