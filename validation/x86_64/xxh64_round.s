# title: rounds of xxHash64 in one lane
# loop: xxh64
# items: 1
# a: int 4096
# held-out: yes
.intel_syntax noprefix
  mov r8, 0xc2b2ae3d27d4eb4f
  mov r9, 0x9e3779b185ebca87
  xor ebx, ebx
  xor eax, eax
  mov r14d, eax
loop:
  mov rcx, [rsi+r14*8]
  imul rcx, r8
  add rbx, rcx
  rol rbx, 31
  imul rbx, r9
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
