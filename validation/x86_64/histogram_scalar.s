# title: histogram of bytes
# loop: histogram
# items: 1
# a: int 4096
# b: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  movzx ecx, byte ptr [rsi+r14]
  add dword ptr [rdi+rcx*4], 1
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
