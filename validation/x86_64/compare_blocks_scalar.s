# title: whether two blocks are equal, 64-bit words
# loop: compare_blocks
# items: 8
# a: int 4096
# b: int 4096
# held-out: yes
.intel_syntax noprefix
  xor ebx, ebx
  xor eax, eax
  mov r14d, eax
loop:
  mov rcx, [rsi+r14*8]
  xor rcx, [rdi+r14*8]
  or rbx, rcx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
