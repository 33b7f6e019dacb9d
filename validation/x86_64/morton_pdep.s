# title: Morton code of two coordinates by bit deposits
# loop: morton
# items: 1
# features: bmi2
# a: int 4096
# b: int 4096
# c: zero 4096
.intel_syntax noprefix
  mov r8, 0x5555555555555555
  mov r9, 0xaaaaaaaaaaaaaaaa
  xor eax, eax
  mov r14d, eax
loop:
  mov ebx, dword ptr [rsi+r14*4]
  mov ecx, dword ptr [rdi+r14*4]
  pdep rbx, rbx, r8
  pdep rcx, rcx, r9
  or rbx, rcx
  mov [rdx+r14*8], rbx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
