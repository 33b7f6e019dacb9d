# title: upper case of ASCII, a byte a round
# loop: uppercase
# items: 1
# a: text 4096
# b: zero 4096
.intel_syntax noprefix
  xor eax, eax
  mov r14d, eax
loop:
  movzx ecx, byte ptr [rsi+r14]
  lea ebx, [rcx-97]
  mov r8d, ecx
  sub r8d, 32
  cmp ebx, 26
  cmovb ecx, r8d
  mov byte ptr [rdi+r14], cl
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
