# title: histogram of bytes, four tables, four bytes a round
# loop: histogram
# items: 4
# a: int 4096
# b: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  movzx ecx, byte ptr [rsi+r14*4+0]
  add dword ptr [rdi+rcx*4+0], 1
  movzx ecx, byte ptr [rsi+r14*4+1]
  add dword ptr [rdi+rcx*4+1024], 1
  movzx ecx, byte ptr [rsi+r14*4+2]
  add dword ptr [rdi+rcx*4+2048], 1
  movzx ecx, byte ptr [rsi+r14*4+3]
  add dword ptr [rdi+rcx*4+3072], 1
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
