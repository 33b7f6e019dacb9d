# title: Morton code of two coordinates by shifts and masks
# loop: morton
# items: 1
# a: int 4096
# b: int 4096
# c: zero 4096
.intel_syntax noprefix
  mov r8, 0x00ff00ff
  mov r9, 0x0f0f0f0f
  mov r10, 0x33333333
  mov r11, 0x55555555
  xor eax, eax
  mov r14d, eax
loop:
  movzx ebx, word ptr [rsi+r14*4]
  movzx ecx, word ptr [rdi+r14*4]
  mov r12, rbx
  shl r12, 8
  or rbx, r12
  and rbx, r8
  mov r12, rbx
  shl r12, 4
  or rbx, r12
  and rbx, r9
  mov r12, rbx
  shl r12, 2
  or rbx, r12
  and rbx, r10
  mov r12, rbx
  shl r12, 1
  or rbx, r12
  and rbx, r11
  mov r13, rcx
  shl r13, 8
  or rcx, r13
  and rcx, r8
  mov r13, rcx
  shl r13, 4
  or rcx, r13
  and rcx, r9
  mov r13, rcx
  shl r13, 2
  or rcx, r13
  and rcx, r10
  mov r13, rcx
  shl r13, 1
  or rcx, r13
  and rcx, r11
  lea rbx, [rbx+rcx*2]
  mov [rdx+r14*8], rbx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
