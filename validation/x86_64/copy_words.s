# title: copy, a 64-bit word a round
# loop: copy
# items: 8
# a: int 4096
# b: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  mov rbx, [rsi+r14*8]
  mov [rdi+r14*8], rbx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
