# title: bits of a word in reverse order by masks
# loop: bit_reverse
# items: 1
# a: int 4096
# c: zero 4096
# held-out: yes
.intel_syntax noprefix
  mov r8, 0x0f0f0f0f0f0f0f0f
  mov r9, 0x3333333333333333
  mov r10, 0x5555555555555555
  xor eax, eax
  mov r14d, eax
loop:
  mov rbx, [rsi+r14*8]
  bswap rbx
  mov rcx, rbx
  shr rbx, 4
  and rbx, r8
  and rcx, r8
  shl rcx, 4
  or rbx, rcx
  mov rcx, rbx
  shr rbx, 2
  and rbx, r9
  and rcx, r9
  lea rbx, [rbx+rcx*4]
  mov rcx, rbx
  shr rbx, 1
  and rbx, r10
  and rcx, r10
  lea rbx, [rbx+rcx*2]
  mov [rdx+r14*8], rbx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
