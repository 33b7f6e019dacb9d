# title: a step of the 3n + 1 sequence by conditional move
# loop: collatz
# items: 1
# features: cmov
# held-out: yes
.intel_syntax noprefix
  mov rbx, 27
loop:
  lea rcx, [rbx+rbx*2+1]
  mov r8, rbx
  shr r8, 1
  test bl, 1
  cmovne r8, rcx
  mov rbx, r8
  dec r15
  jne loop
  ret
