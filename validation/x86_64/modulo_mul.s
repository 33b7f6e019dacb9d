# title: remainders by multiplication with the reciprocal
# loop: modulo
# items: 1
# a: int 4096
.intel_syntax noprefix
  mov r8d, 1000003
  mov r9d, 2251793
  xor ebx, ebx
  xor ecx, ecx
  mov r12d, ecx
loop:
  mov eax, dword ptr [rsi+r12*4]
  mov rbp, rax
  imul rbp, r9
  shr rbp, 51
  imul ebp, r8d
  sub eax, ebp
  add rbx, rax
  add ecx, 1
  movzx r12d, cl
  dec r15
  jne loop
  ret
