# title: characters of UTF-8 text, AVX2
# loop: utf8_length
# items: 32
# features: avx2 popcnt
# a: text 4096
# held-out: yes
.intel_syntax noprefix
  mov eax, 0xbfbfbfbf
  vmovd xmm15, eax
  vpbroadcastd ymm15, xmm15
  xor ebx, ebx
  xor eax, eax
  mov r14d, eax
loop:
  vmovdqu ymm1, [rsi+r14*8]
  vpcmpgtb ymm1, ymm1, ymm15
  vpmovmskb ecx, ymm1
  popcnt rcx, rcx
  add rbx, rcx
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
