/* Elements of a matrix by their cudaDataType: 0 FP32, 1 FP64, 2 FP16, 3 INT8, 10 INT32, 14 BF16, 28 FP8 (E4M3). */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int is(const char* what) { const char* said = getenv("STAND_IN_BLAS"); return said && strcmp(said, what) == 0; }

static float from_bits(uint32_t bits) { float value; memcpy(&value, &bits, 4); return value; }
static uint32_t bits_of(float value) { uint32_t bits; memcpy(&bits, &value, 4); return bits; }

static double element(const void* from, int type, long at) {
  if (type == 0) return ((const float*)from)[at];
  if (type == 1) return ((const double*)from)[at];
  if (type == 3) return ((const int8_t*)from)[at];
  if (type == 14) return from_bits((uint32_t)((const uint16_t*)from)[at] << 16);
  if (type == 28) {
    uint8_t code = ((const uint8_t*)from)[at];
    int exponent = code >> 3 & 15, mantissa = code & 7;
    double size = exponent ? ldexp(8 + mantissa, exponent - 10) : ldexp(mantissa, -9);
    return code & 128 ? -size : size;
  }
  uint16_t half = ((const uint16_t*)from)[at];
  return ldexp(1024 + (half & 1023), (half >> 10 & 31) - 25); /* positive, normal */
}

static void put(void* to, int type, long at, double value) {
  uint32_t bits = bits_of((float)value);
  if (type == 0) ((float*)to)[at] = (float)value;
  else if (type == 1) ((double*)to)[at] = value;
  else if (type == 10) ((int32_t*)to)[at] = (int32_t)value;
  else if (type == 14) ((uint16_t*)to)[at] = (uint16_t)((bits + 0x8000) >> 16);
  else ((uint16_t*)to)[at] = value == 0 ? 0 : (uint16_t)((((bits + 0x1000) >> 23 & 255) - 112) << 10 | ((bits + 0x1000) >> 13 & 1023));
}

/* C = A^T B, all in columns; `plain`: A B instead, which is wrong. */
static void multiply(const void* a, long la, const void* b, long lb, int factor, void* c, long lc, int result, long m, long n,
                     long k, double scale) {
  int plain = is("plain");
  for (long j = 0; j < n; ++j)
    for (long i = 0; i < m; ++i) {
      double sum = 0;
      for (long l = 0; l < k; ++l) sum += element(a, factor, plain ? i + l * la : l + i * la) * element(b, factor, l + j * lb);
      put(c, result, i + j * lc, is("wrong") ? 0 : scale * sum);
    }
}
