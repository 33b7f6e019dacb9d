# title: characters of UTF-8 text, AVX-512
# loop: utf8_length
# items: 64
# features: avx512bw popcnt
# a: text 4096
# held-out: yes
.intel_syntax noprefix
  mov eax, 0xc0c0c0c0
  vmovd xmm15, eax
  vpbroadcastd zmm15, xmm15
  xor ebx, ebx
  xor eax, eax
  mov r14d, eax
loop:
  vpcmpgtb k1, zmm15, [rsi+r14*8]
  kmovq rcx, k1
  popcnt rcx, rcx
  sub rbx, rcx
  add eax, 8
  movzx r14d, al
  dec r15
  jne loop
  ret
