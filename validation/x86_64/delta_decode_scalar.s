# title: zig-zag and delta decoding of INT32
# loop: delta_decode
# items: 1
# a: int 4096
# b: zero 4096
.intel_syntax noprefix
  xor ebx, ebx
  xor eax, eax
  mov r14d, eax
loop:
  mov ecx, dword ptr [rsi+r14*4]
  mov r8d, ecx
  shr ecx, 1
  and r8d, 1
  neg r8d
  xor ecx, r8d
  add ebx, ecx
  mov dword ptr [rdi+r14*4], ebx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
