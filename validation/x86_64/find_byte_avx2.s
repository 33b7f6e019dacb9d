# title: search for a byte, AVX2: compare, mask, test; never found
# loop: find_byte
# items: 32
# features: avx2
# a: text 4096
.intel_syntax noprefix
  xor ebx, ebx
  mov eax, 0x01010101
  vmovd xmm15, eax
  vpbroadcastd ymm15, xmm15
  xor eax, eax
  mov r14d, eax
loop:
  vpcmpeqb ymm0, ymm15, [rsi+r14*8]
  vpmovmskb ecx, ymm0
  or ebx, ecx
  add eax, 4
  movzx r14d, al
  dec r15
  jne loop
  ret
