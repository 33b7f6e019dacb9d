# title: fields of 5 bits packed by parallel extract
# loop: bit_pack
# items: 4
# features: bmi2
# a: int 4096
# c: zero 4096
# held-out: yes
.intel_syntax noprefix
  mov r8d, 0x1f1f1f1f
  xor eax, eax
  mov r14d, eax
loop:
  mov ecx, [rsi+r14*4]
  pext ecx, ecx, r8d
  mov [rdx+r14*4], ecx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
