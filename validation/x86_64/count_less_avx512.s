# title: count of FP32 below a bound, AVX-512 masks
# loop: count_less
# items: 16
# features: avx512f popcnt
# a: fp32 4096
.intel_syntax noprefix
  xor ebx, ebx
  mov eax, 0x3fc00000
  vmovd xmm15, eax
  vbroadcastss zmm15, xmm15
  xor eax, eax
  mov r14d, eax
loop:
  vcmpps k1, zmm15, [rsi+r14*8], 14
  kmovw ecx, k1
  popcnt ecx, ecx
  add ebx, ecx
  add eax, 8
  movzx r14d, al
  dec r15
  jne loop
  ret
