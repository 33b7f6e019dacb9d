# title: xorshift64 generator
# loop: xorshift
# items: 1
.intel_syntax noprefix
  mov rbx, 0x123456789
loop:
  mov rcx, rbx
  shl rcx, 13
  xor rbx, rcx
  mov rcx, rbx
  shr rcx, 7
  xor rbx, rcx
  mov rcx, rbx
  shl rcx, 17
  xor rbx, rcx
  dec r15
  jne loop
  ret
