# title: remainders by division
# loop: modulo
# items: 1
# a: int 4096
.intel_syntax noprefix
  mov r8d, 1000003
  xor ebx, ebx
  xor ecx, ecx
  mov r12d, ecx
loop:
  mov eax, dword ptr [rsi+r12*4]
  xor edx, edx
  div r8d
  add rbx, rdx
  add ecx, 1
  movzx r12d, cl
  dec r15
  jne loop
  ret
