# title: xorshift64, four generators
# loop: xorshift
# items: 4
.intel_syntax noprefix
  mov rbx, 0x123456789
  mov r8, 0x23456
  mov r9, 0x34567
  mov r10, 0x45678
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
  mov rcx, r8
  shl rcx, 13
  xor r8, rcx
  mov rcx, r8
  shr rcx, 7
  xor r8, rcx
  mov rcx, r8
  shl rcx, 17
  xor r8, rcx
  mov rcx, r9
  shl rcx, 13
  xor r9, rcx
  mov rcx, r9
  shr rcx, 7
  xor r9, rcx
  mov rcx, r9
  shl rcx, 17
  xor r9, rcx
  mov rcx, r10
  shl rcx, 13
  xor r10, rcx
  mov rcx, r10
  shr rcx, 7
  xor r10, rcx
  mov rcx, r10
  shl rcx, 17
  xor r10, rcx
  dec r15
  jne loop
  ret
