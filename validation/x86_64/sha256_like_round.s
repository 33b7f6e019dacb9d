# title: round in the manner of SHA-256: rotates, choice, majority
# loop: sha256
# items: 1
# a: int 4096
.intel_syntax noprefix
  mov ebx, 1
  mov r8d, 2
  mov r9d, 3
  mov r10d, 4
  mov r11d, 5
loop:
  mov eax, ebx
  ror eax, 6
  mov ecx, ebx
  ror ecx, 11
  xor eax, ecx
  mov ecx, ebx
  ror ecx, 25
  xor eax, ecx
  mov ecx, r8d
  xor ecx, r9d
  and ecx, ebx
  xor ecx, r9d
  add eax, ecx
  add eax, dword ptr [rsi]
  add eax, r10d
  mov r10d, r9d
  mov r9d, r8d
  mov r8d, ebx
  lea ebx, [r11+rax]
  add r11d, eax
  dec r15
  jne loop
  ret
