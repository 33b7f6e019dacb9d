# title: CRC-32C of three streams
# loop: crc32
# items: 24
# features: crc32
# a: int 4096
# b: int 4096
# c: int 4096
.intel_syntax noprefix
  mov rbx, 1
  mov rcx, 2
  mov r8, 3
  xor eax, eax
  mov r14d, eax
loop:
  crc32 rbx, qword ptr [rsi+r14*8]
  crc32 rcx, qword ptr [rdi+r14*8]
  crc32 r8, qword ptr [rdx+r14*8]
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
