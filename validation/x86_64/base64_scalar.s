# title: base64 encoding by table, three bytes a round
# loop: base64
# items: 3
# a: int 4096
# b: text 4096
# c: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  mov ebx, dword ptr [rsi+r14]
  bswap ebx
  mov ecx, ebx
  shr ecx, 26
  movzx r8d, byte ptr [rdi+rcx]
  mov ecx, ebx
  shr ecx, 20
  and ecx, 63
  movzx r9d, byte ptr [rdi+rcx]
  mov ecx, ebx
  shr ecx, 14
  and ecx, 63
  movzx r10d, byte ptr [rdi+rcx]
  shr ebx, 8
  and ebx, 63
  movzx r11d, byte ptr [rdi+rbx]
  mov byte ptr [rdx+r14], r8b
  mov byte ptr [rdx+r14+1], r9b
  mov byte ptr [rdx+r14+2], r10b
  mov byte ptr [rdx+r14+3], r11b
  add eax, 3
  movzx r14d, al
  dec r15
  jne loop
  ret
