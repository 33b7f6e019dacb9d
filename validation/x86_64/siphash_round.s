# title: SipHash round
# loop: siphash
# items: 1
.intel_syntax noprefix
  mov rbx, 1
  mov rcx, 2
  mov r8, 3
  mov r9, 4
loop:
  add rbx, rcx
  rol rcx, 13
  xor rcx, rbx
  rol rbx, 32
  add r8, r9
  rol r9, 16
  xor r9, r8
  add rbx, r9
  rol r9, 21
  xor r9, rbx
  add r8, rcx
  rol rcx, 17
  xor rcx, r8
  rol r8, 32
  dec r15
  jne loop
  ret
