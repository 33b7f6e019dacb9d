# title: a step of the binary greatest common divisor
# loop: gcd
# items: 1
# features: cmov
# held-out: yes
.intel_syntax noprefix
  mov rbx, 1000003
  mov rcx, 777777
loop:
  mov r8, rbx
  sub r8, rcx
  mov r9, rcx
  sub r9, rbx
  cmovb r9, r8
  cmp rcx, rbx
  cmovb rbx, rcx
  mov rcx, r9
  or rcx, 1
  dec r15
  jne loop
  ret
