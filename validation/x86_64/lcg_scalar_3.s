# title: linear congruential generator, three streams
# loop: lcg
# items: 3
# held-out: yes
.intel_syntax noprefix
  mov r8, 0x5851f42d4c957f2d
  mov r9, 0x14057b7ef767814f
  mov rbx, 1
  mov rcx, 3
  mov r10, 5
loop:
  imul rbx, r8
  add rbx, r9
  imul rcx, r8
  add rcx, r9
  imul r10, r8
  add r10, r9
  dec r15
  jne loop
  ret
