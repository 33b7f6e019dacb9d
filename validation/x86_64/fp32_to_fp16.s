# title: FP32 to FP16, F16C
# loop: fp32_to_fp16
# items: 8
# features: f16c
# a: fp32 4096
# b: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  vmovups ymm0, [rsi+r14*8]
  vcvtps2ph [rdi+r14*8], ymm0, 0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
