# title: gather of INT32 by index, scalar
# loop: gather
# items: 1
# a: int 4096
# b: index 4096
# c: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  mov ebx, dword ptr [rdi+r14*4]
  mov ecx, dword ptr [rsi+rbx*4]
  mov dword ptr [rdx+r14*4], ecx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
