# title: running maximum of integers
# loop: cumulative_max
# items: 1
# features: cmov
# a: int 4096
# b: zero 4096
# held-out: yes
.intel_syntax noprefix
  xor ebx, ebx
  xor eax, eax
  mov r14d, eax
loop:
  mov ecx, [rsi+r14*4]
  cmp ecx, ebx
  cmova ebx, ecx
  mov [rdi+r14*4], ebx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
