# title: Adler-32 sums, a byte a round, without the modulus
# loop: adler32
# items: 1
# a: int 4096
.intel_syntax noprefix
  mov rbx, 1
  xor r8d, r8d
  xor eax, eax
  mov r14d, eax
loop:
  movzx ecx, byte ptr [rsi+r14]
  add rbx, rcx
  add r8, rbx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
