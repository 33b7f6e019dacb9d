# title: sum over a linked list
# loop: list_sum
# items: 1
# a: list 4096
.intel_syntax noprefix
  mov rbx, rsi
  xor ecx, ecx
loop:
  add rcx, [rbx+8]
  mov rbx, [rbx]
  dec r15
  jne loop
  ret
