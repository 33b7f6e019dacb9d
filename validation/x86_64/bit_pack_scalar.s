# title: fields of 5 bits packed by shifts
# loop: bit_pack
# items: 4
# a: int 4096
# c: zero 4096
# held-out: yes
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  movzx ecx, byte ptr [rsi+r14*4]
  movzx r8d, byte ptr [rsi+r14*4+1]
  movzx r9d, byte ptr [rsi+r14*4+2]
  movzx r10d, byte ptr [rsi+r14*4+3]
  shl r8d, 5
  shl r9d, 10
  shl r10d, 15
  or ecx, r8d
  or r9d, r10d
  or ecx, r9d
  mov [rdx+r14*4], ecx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
