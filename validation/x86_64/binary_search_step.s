# title: branchless step of a binary search
# loop: binary_search
# items: 1
# a: index 4096
.intel_syntax noprefix
  mov r8d, 256
  mov rbx, rsi
  mov r9d, 0x7fffffff
loop:
  shr r8, 1
  lea rcx, [rbx+r8*4]
  cmp dword ptr [rcx], r9d
  cmovb rbx, rcx
  mov r8d, 8
  mov rbx, rsi
  dec r15
  jne loop
  ret
