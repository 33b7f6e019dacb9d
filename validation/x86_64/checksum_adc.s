# title: internet checksum by words with carry
# loop: checksum
# items: 32
# a: int 4096
.intel_syntax noprefix
  xor ebx, ebx
  xor eax, eax
  mov r14d, eax
loop:
  add rbx, [rsi+r14*8]
  adc rbx, [rsi+r14*8+8]
  adc rbx, [rsi+r14*8+16]
  adc rbx, [rsi+r14*8+24]
  adc rbx, 0
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
