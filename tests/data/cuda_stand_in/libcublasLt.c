/* A libcublasLt for tests: products of E4M3 factors, with the rules that its documentation states for them.  A value, a size
 * or an order that breaks one is refused as the library refuses it: 7 (invalid value) or 15 (not supported).
 * STAND_IN_BLAS: `refused` (status 13 of the product), `lacks` (15 of the heuristic), `none` (it knows no algorithm),
 * `wrong` (a product of zeros), `plain` (A B). */
#include "numbers.h"

enum { DESCRIPTION = 0x4d44, LAYOUT = 0x4c41, PREFERENCE = 0x5052, HANDLE = 0x4854, ALGORITHM = 0x414c };
typedef struct { int kind, compute, scale, transa, transb; const float *sa, *sb; int8_t fast; } Description;
typedef struct { int kind, type; uint64_t rows, columns; int64_t ld; } Layout;
typedef struct { int kind; uint64_t workspace; } Preference;
typedef struct { uint64_t algo[8]; size_t workspace; int state; float waves; int reserved[4]; } Result;
static int handle_of = HANDLE, alive;
enum { NEEDED = 1 << 20 };

int stand_in_alive(void) { return alive; }
size_t cublasLtGetVersion(void) { return 131000; }
int cublasLtCreate(void** handle) { *handle = &handle_of; return 0; }

static void* made(size_t size, int kind) { int* found = calloc(1, size); *found = kind; ++alive; return found; }
static int gone(int* which, int kind) { if (!which || *which != kind) return 7; *which = 0; free(which); --alive; return 0; }

int cublasLtMatmulDescCreate(void** to, int compute, int scale) {
  Description* found = *to = made(sizeof *found, DESCRIPTION);
  found->compute = compute; found->scale = scale;
  return 0;
}
int cublasLtMatmulDescDestroy(void* which) { return gone(which, DESCRIPTION); }
int cublasLtMatmulDescSetAttribute(void* which, int attribute, const void* value, size_t size) {
  Description* d = which;
  if (!d || d->kind != DESCRIPTION || size != (attribute == 25 ? 1u : attribute == 17 || attribute == 18 ? 8u : 4u)) return 7;
  if (attribute == 3) memcpy(&d->transa, value, 4);
  else if (attribute == 4) memcpy(&d->transb, value, 4);
  else if (attribute == 17) memcpy(&d->sa, value, 8);
  else if (attribute == 18) memcpy(&d->sb, value, 8);
  else if (attribute == 25) memcpy(&d->fast, value, 1);
  else return 7;
  return 0;
}
int cublasLtMatrixLayoutCreate(void** to, int type, uint64_t rows, uint64_t columns, int64_t ld) {
  Layout* found = *to = made(sizeof *found, LAYOUT);
  found->type = type; found->rows = rows; found->columns = columns; found->ld = ld;
  return 0;
}
int cublasLtMatrixLayoutDestroy(void* which) { return gone(which, LAYOUT); }
int cublasLtMatmulPreferenceCreate(void** to) { *to = made(sizeof(Preference), PREFERENCE); return 0; }
int cublasLtMatmulPreferenceDestroy(void* which) { return gone(which, PREFERENCE); }
int cublasLtMatmulPreferenceSetAttribute(void* which, int attribute, const void* value, size_t size) {
  Preference* p = which;
  if (!p || p->kind != PREFERENCE || attribute != 1 || size != 8) return 7;
  memcpy(&p->workspace, value, 8);
  return 0;
}

static int fits(void* handle, const Description* d, const Layout* a, const Layout* b, const Layout* c, const Layout* to) {
  if (handle != &handle_of) return 1;
  if (!d || d->kind != DESCRIPTION) return 7;
  const Layout* all[] = {a, b, c, to};
  for (int n = 0; n < 4; ++n) if (!all[n] || all[n]->kind != LAYOUT || all[n]->ld < (int64_t)all[n]->rows) return 7;
  if (d->compute != 68 || d->scale != 0 || d->transa != 1 || d->transb != 0 || d->fast < 0 || d->fast > 1) return 15;
  if (a->type != 28 || b->type != 28 || c->type != 14 || to->type != 14 || a->ld % 16 || b->ld % 16 || to->ld % 8) return 15;
  if (a->rows != b->rows || a->columns != to->rows || b->columns != to->columns) return 7;
  return c->rows != to->rows || c->columns != to->columns || c->ld != to->ld ? 7 : 0;
}

int cublasLtMatmulAlgoGetHeuristic(void* handle, void* d, void* a, void* b, void* c, void* to, void* preference, int asked,
                                   Result* found, int* count) {
  Preference* p = preference;
  int code = fits(handle, d, a, b, c, to);
  *count = 0;
  if (code || asked < 1 || !p || p->kind != PREFERENCE || p->workspace < NEEDED) return code ? code : 7;
  if (is("lacks")) return 15;
  if (is("none")) return 0;
  memset(found, 0, sizeof *found);
  found->algo[0] = ALGORITHM; found->workspace = NEEDED; found->waves = 1.5f;
  *count = 1;
  return 0;
}

int cublasLtMatmul(void* handle, void* description, const float* alpha, const void* a, void* al, const void* b, void* bl,
                   const float* beta, const void* c, void* cl, void* to, void* tl, const uint64_t* algo, void* workspace,
                   size_t bytes, void* stream) {
  Description* d = description;
  const Layout *la = al, *lb = bl, *lt = tl;
  int code = fits(handle, d, la, lb, cl, lt);
  if (code) return code;
  if (is("refused")) return 13;
  const void* places[] = {a, b, c, to, workspace};
  for (int n = 0; n < 5; ++n) if (!places[n] || (uintptr_t)places[n] % 16) return 7;
  if (!algo || algo[0] != ALGORITHM || bytes < NEEDED || stream || *beta != 0) return 7;
  if (c == to && cl != tl) return 7; /* in place: one layout for both */
  multiply(a, la->ld, b, lb->ld, 28, to, lt->ld, 14, (long)lt->rows, (long)lt->columns, (long)la->rows,
           (double)*alpha * (d->sa ? *d->sa : 1) * (d->sb ? *d->sb : 1));
  return 0;
}
