# title: three integers in order by conditional moves
# loop: sort3
# items: 3
# features: cmov
# a: int 4096
# c: zero 4096
# held-out: yes
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  mov r8d, [rsi+r14*4]
  mov r9d, [rsi+r14*4+4]
  mov r10d, [rsi+r14*4+8]
  mov ecx, r8d
  cmp r8d, r9d
  cmova r8d, r9d
  cmova r9d, ecx
  mov ecx, r9d
  cmp r9d, r10d
  cmova r9d, r10d
  cmova r10d, ecx
  mov ecx, r8d
  cmp r8d, r9d
  cmova r8d, r9d
  cmova r9d, ecx
  mov [rdx+r14*4], r8d
  mov [rdx+r14*4+4], r9d
  mov [rdx+r14*4+8], r10d
  add eax, 3
  movzx r14d, al
  dec r15
  jne loop
  ret
