# title: MurmurHash3 finaliser of independent words
# loop: murmur
# items: 1
# a: int 4096
# b: zero 4096
.intel_syntax noprefix
  mov r8, 0xff51afd7ed558ccd
  mov r9, 0xc4ceb9fe1a85ec53
  xor eax, eax
  mov r14d, eax
loop:
  mov rbx, [rsi+r14*8]
  mov rcx, rbx
  shr rcx, 33
  xor rbx, rcx
  imul rbx, r8
  mov rcx, rbx
  shr rcx, 33
  xor rbx, rcx
  imul rbx, r9
  mov rcx, rbx
  shr rcx, 33
  xor rbx, rcx
  mov [rdi+r14*8], rbx
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
