/* A libcublas for tests, which takes the one call that is made of it and refuses any other.
 * STAND_IN_BLAS: `refused` (status 13), `lacks` (15: no such product), `wrong` (a product of zeros), `plain` (A B). */
#include "numbers.h"

int cublasCreate_v2(void** handle) { *handle = (void*)8; return 0; }
int cublasDestroy_v2(void* handle) { return handle != (void*)8; }
int cublasGetVersion_v2(void* handle, int* version) { (void)handle; *version = 131000; return 0; }
int cublasGemmEx(void* handle, int ta, int tb, int m, int n, int k, const void* alpha, const void* a, int at, int la,
                 const void* b, int bt, int lb, const void* beta, void* c, int ct, int lc, int compute, int algorithm) {
  if (handle != (void*)8) return 1;
  if (is("refused")) return 13;
  if (is("lacks")) return 15;
  if (ta != 1 || tb != 0 || at != bt || la < k || lb < k || lc < m || algorithm != -1) return 7;
  int wide = compute == 70, whole = compute == 72;
  if (wide ? at != 1 : whole ? at != 3 : compute == 77 ? at != 0 : compute != 68 || (at != 0 && at != 2 && at != 14)) return 15;
  if (ct != (whole ? 10 : at)) return 15;
  double one = wide ? *(const double*)alpha : whole ? *(const int32_t*)alpha : *(const float*)alpha;
  double zero = wide ? *(const double*)beta : whole ? *(const int32_t*)beta : *(const float*)beta;
  if (zero != 0) return 7;
  if (whole && (la % 4 || lb % 4 || lc % 4)) return 15;
  multiply(a, la, b, lb, at, c, lc, ct, m, n, k, one);
  return 0;
}
