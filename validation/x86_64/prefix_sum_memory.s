# title: prefix sum of INT32 in place, the last sum read back from memory
# loop: prefix_sum
# items: 1
# a: int 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  mov ebx, dword ptr [rsi+r14*4-4]
  add dword ptr [rsi+r14*4], ebx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
