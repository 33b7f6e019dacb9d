# title: sum of integers of four words, carries in a chain
# loop: bigint_add
# items: 4
# a: int 4096
# b: int 4096
# c: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  mov rbx, [rsi+r14*8]
  add rbx, [rdi+r14*8]
  mov [rdx+r14*8], rbx
  mov rbx, [rsi+r14*8+8]
  adc rbx, [rdi+r14*8+8]
  mov [rdx+r14*8+8], rbx
  mov rbx, [rsi+r14*8+16]
  adc rbx, [rdi+r14*8+16]
  mov [rdx+r14*8+16], rbx
  mov rbx, [rsi+r14*8+24]
  adc rbx, [rdi+r14*8+24]
  mov [rdx+r14*8+24], rbx
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
