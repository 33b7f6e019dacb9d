# title: rank in a bit vector: bits below a place, counted
# loop: rank_bits
# items: 1
# features: bmi2 popcnt
# a: int 4096
# b: zero 4096
# held-out: yes
.intel_syntax noprefix
  mov r8d, 29
  xor eax, eax
  mov r14d, eax
loop:
  bzhi rbx, [rsi+r14*8], r8
  popcnt rbx, rbx
  add ebx, eax
  mov [rdi+r14*8], rbx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
