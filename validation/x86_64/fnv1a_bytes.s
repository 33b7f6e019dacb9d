# title: FNV-1a hash, a byte a round
# loop: fnv1a
# items: 1
# a: int 4096
.intel_syntax noprefix
  mov r8, 0x100000001b3
  mov rbx, 0x1234567
  xor eax, eax
  mov r14d, eax
loop:
  movzx ecx, byte ptr [rsi+r14]
  xor rbx, rcx
  imul rbx, r8
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
