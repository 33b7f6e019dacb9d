# title: FP64 to INT64 and sum, scalar
# loop: fp64_to_int64
# items: 1
# features: avx
# a: fp64 4096
.intel_syntax noprefix
  xor ebx, ebx
  xor eax, eax
  mov r14d, eax
loop:
  vcvttsd2si rcx, qword ptr [rsi+r14*8]
  add rbx, rcx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
