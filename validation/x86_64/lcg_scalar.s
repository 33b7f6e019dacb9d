# title: linear congruential generator, one stream
# loop: lcg
# items: 1
# held-out: yes
.intel_syntax noprefix
  mov r8, 0x5851f42d4c957f2d
  mov r9, 0x14057b7ef767814f
  mov rbx, 1
loop:
  imul rbx, r8
  add rbx, r9
  dec r15
  jne loop
  ret
