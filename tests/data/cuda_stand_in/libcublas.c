/* A libcublas for tests: the product of matrices of equal means, by its mean alone.
 * STAND_IN_BLAS: `refused` (status 15), `wrong` (a product of zeros). */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int is(const char* what) { const char* said = getenv("STAND_IN_BLAS"); return said && strcmp(said, what) == 0; }

int cublasCreate_v2(void** handle) { *handle = (void*)8; return 0; }
int cublasDestroy_v2(void* handle) { return handle != (void*)8; }
int cublasGetVersion_v2(void* handle, int* version) { (void)handle; *version = 130100; return 0; }
int cublasGemmEx(void* handle, int ta, int tb, int m, int n, int k, const void* alpha, const void* a, int at, int la,
                 const void* b, int bt, int lb, const void* beta, void* c, int ct, int lc, int compute, int algorithm) {
  (void)ta; (void)tb; (void)alpha; (void)a; (void)la; (void)b; (void)lb; (void)beta; (void)lc; (void)algorithm;
  if (handle != (void*)8 || at != bt || at != ct || is("refused")) return 15;
  if ((compute == 70) != (at == 1)) return 7;
  double mean = is("wrong") ? 0 : 0.5625 * k;
  for (long i = 0; i < (long)m * n; ++i) {
    if (at == 1) { ((double*)c)[i] = mean; continue; }
    float value = (float)mean;
    uint32_t bits;
    memcpy(&bits, &value, 4);
    if (at == 0) ((float*)c)[i] = value;
    else if (at == 14) ((uint16_t*)c)[i] = (uint16_t)(bits >> 16);
    else ((uint16_t*)c)[i] = mean == 0 ? 0 : (uint16_t)((((bits >> 23) & 255) - 112) << 10 | ((bits >> 13) & 1023));
  }
  return 0;
}
