# title: CRC-32C of one stream
# loop: crc32
# items: 8
# features: crc32
# a: int 4096
.intel_syntax noprefix
  mov rbx, 1
  xor eax, eax
  mov r14d, eax
loop:
  crc32 rbx, qword ptr [rsi+r14*8]
  add eax, 1
  movzx r14d, al
  dec r15
  jne loop
  ret
