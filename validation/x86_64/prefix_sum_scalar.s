# title: prefix sum of INT32, scalar
# loop: prefix_sum
# items: 1
# a: int 4096
# b: zero 4096
.intel_syntax noprefix
  xor ebx, ebx
  xor eax, eax
  mov r14d, eax
loop:
  add ebx, dword ptr [rsi+r14*4]
  mov dword ptr [rdi+r14*4], ebx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
