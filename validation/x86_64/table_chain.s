# title: lookups each of which depends on the last
# loop: table_chain
# items: 1
# a: index 4096
.intel_syntax noprefix
  xor eax, eax
loop:
  mov eax, dword ptr [rsi+rax*4]
  dec r15
  jne loop
  ret
