# title: population count of words, four a round
# loop: popcount
# items: 32
# features: popcnt
# a: int 4096
.intel_syntax noprefix
  xor ebx, ebx
  xor r9d, r9d
  xor r11d, r11d
  xor r13d, r13d
  xor eax, eax
  mov r14d, eax
loop:
  popcnt rcx, qword ptr [rsi+r14*8+0]
  add rbx, rcx
  popcnt r8, qword ptr [rsi+r14*8+8]
  add r9, r8
  popcnt r10, qword ptr [rsi+r14*8+16]
  add r11, r10
  popcnt r12, qword ptr [rsi+r14*8+24]
  add r13, r12
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
