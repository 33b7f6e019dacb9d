# title: INT32 to FP64, scaled and stored, scalar
# loop: int_to_fp64
# items: 1
# features: avx
# a: int 4096
# b: zero 4096
.intel_syntax noprefix
  mov rax, 0x3fd0000000000000
  vmovq xmm15, rax
  xor eax, eax
  mov r14d, eax
loop:
  vpxor xmm0, xmm0, xmm0
  vcvtsi2sd xmm0, xmm0, dword ptr [rsi+r14*4]
  vmulsd xmm0, xmm0, xmm15
  vmovsd qword ptr [rdi+r14*8], xmm0
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
