# title: population count of words
# loop: popcount
# items: 8
# features: popcnt
# a: int 4096
.intel_syntax noprefix
  xor ebx, ebx
  xor eax, eax
  mov r14d, eax
loop:
  popcnt rcx, qword ptr [rsi+r14*8]
  add rbx, rcx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
