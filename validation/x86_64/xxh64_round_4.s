# title: rounds of xxHash64 in four lanes
# loop: xxh64
# items: 4
# a: int 4096
# held-out: yes
.intel_syntax noprefix
  mov r8, 0xc2b2ae3d27d4eb4f
  mov r9, 0x9e3779b185ebca87
  xor ebx, ebx
  xor r10d, r10d
  xor r11d, r11d
  xor r12d, r12d
  xor eax, eax
  mov r14d, eax
loop:
  mov rcx, [rsi+r14*8]
  imul rcx, r8
  add rbx, rcx
  rol rbx, 31
  imul rbx, r9
  mov rcx, [rsi+r14*8+8]
  imul rcx, r8
  add r10, rcx
  rol r10, 31
  imul r10, r9
  mov rcx, [rsi+r14*8+16]
  imul rcx, r8
  add r11, rcx
  rol r11, 31
  imul r11, r9
  mov rcx, [rsi+r14*8+24]
  imul rcx, r8
  add r12, rcx
  rol r12, 31
  imul r12, r9
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
