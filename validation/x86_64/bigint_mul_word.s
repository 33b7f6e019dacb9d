# title: integer times a word, high and low halves, carry in a chain
# loop: bigint_mul
# items: 1
# features: bmi2
# a: int 4096
# b: zero 4096
.intel_syntax noprefix
  mov r9, 0x123456789abcdef
  xor r8d, r8d
  xor eax, eax
  mov r14d, eax
loop:
  mov rdx, [rsi+r14*8]
  mulx rcx, rbx, r9
  add rbx, r8
  adc rcx, 0
  mov [rdi+r14*8], rbx
  mov r8, rcx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
