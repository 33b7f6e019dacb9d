/* What the driver refuses: calls before cuInit, without a context of the calling thread, behind an error that sticks;
 * handles that were given back; addresses that no memory is at.
 *
 * stand_in_alive('e') tells how many events, 't' textures, 'm' modules, 's' streams and 'a' allocations there are; 'l' how many
 * kernels were loaded while the device had something to do, which may wait for it. */
typedef struct { int kind, recorded; uint64_t at; } Event;
enum { CONTEXT = 8, DEEPEST = 16, ALIGNED = 512, GARBAGE = 0x5a, ANY_EVENT = 0x4556, MOST_TEXELS = 1 << 28 };

static int initialised, retained, events, textures, modules, late;
static __thread int depth; /* of the contexts that a thread has pushed; all are the primary one */
static uint64_t seen = BOOT_NS; /* what ended by then, the host has waited for */
static uint64_t texture_at[256];

static int refusal(void) { return !initialised ? 3 : !depth ? 201 : !retained ? 709 : sticky; }
#define STARTED do { if (!initialised) return 3; } while (0)

int cuDevicePrimaryCtxRetain(void** c, int d) {
  STARTED;
  if (d < 0 || d >= number("STAND_IN_COUNT", 1)) return 101;
  ++retained;
  *c = (void*)CONTEXT;
  return 0;
}
int cuDevicePrimaryCtxRelease_v2(int d) {
  STARTED;
  if (d < 0 || d >= number("STAND_IN_COUNT", 1)) return 101;
  if (!retained) return 201;
  --retained;
  return 0;
}
int cuCtxSetCurrent(void* c) {
  STARTED;
  if (c && (c != (void*)CONTEXT || !retained)) return 201;
  if (c && !depth) ++depth;
  if (!c && depth) --depth;
  return 0;
}
int cuCtxPushCurrent_v2(void* c) {
  STARTED;
  if (c != (void*)CONTEXT || !retained || depth == DEEPEST) return 201;
  ++depth;
  return 0;
}
int cuCtxPopCurrent_v2(void** c) {
  STARTED;
  if (!depth) return 201;
  --depth;
  if (c) *c = (void*)CONTEXT;
  return 0;
}
int cuCtxGetCurrent(void** c) { STARTED; *c = depth ? (void*)CONTEXT : NULL; return 0; }
int cuCtxDetach(void* c) { (void)c; return 0; }
int cuCtxGetDevice(int* d) { STARTED; if (!depth) return 201; *d = 0; return 0; }

/* Whether all these bytes lie in one piece of memory. */
static int holds(const Taken* one, uint64_t address, size_t n) {
  return one->address && address >= one->address && n <= one->size && address - one->address <= one->size - n;
}
static int is_variable(uint64_t address, size_t n);
static int is_there(uint64_t address, size_t n) {
  for (int at = 0; at < takings; ++at) if (holds(&taken[at], address, n)) return 1;
  for (int at = 0; at < 64; ++at) if (holds(&locked[at], address, n)) return 1;
  return is_variable(address, n);
}
static int begins(uint64_t address) {
  for (int at = 0; at < takings; ++at) if (taken[at].address == address) return address != 0;
  return 0;
}
static int is_stream(const void* stream) {
  for (Stream* one = streams; one; one = one->next) if (one == stream) return 1;
  return !stream;
}

int cuEventCreate(void** e, unsigned flags) {
  CHECK;
  if (flags) return 1;
  Event* made = calloc(1, sizeof *made);
  made->kind = ANY_EVENT;
  ++events;
  *e = made;
  return 0;
}
int cuEventDestroy_v2(void* event) {
  CHECK;
  Event* e = event; /* what was an event stays in place, so that it is known for one that was given back */
  if (!e || e->kind != ANY_EVENT) return 400;
  e->kind = 0;
  --events;
  return 0;
}
int cuEventRecord(void* event, void* s) {
  CHECK;
  Event* e = event;
  if (!e || e->kind != ANY_EVENT || !is_stream(s)) return 400;
  if (!s) { join_streams(); occupy(0); }
  e->recorded = 1;
  e->at = s ? later(((Stream*)s)->until, now) : now;
  return 0;
}
int cuEventElapsedTime(float* ms, void* start, void* stop) {
  CHECK;
  Event *a = start, *b = stop;
  if (!a || !b || a->kind != ANY_EVENT || b->kind != ANY_EVENT || !a->recorded || !b->recorded) return 400;
  uint64_t passed = real_time() ? later(seen, host_ns()) : seen;
  if (a->at > passed || b->at > passed) return 600;
  *ms = (float)((double)b->at - (double)a->at) * 1e-6f;
  return 0;
}
int cuEventElapsedTime_v2(float* ms, void* a, void* b) { return cuEventElapsedTime(ms, a, b); }

/* CUDA_RESOURCE_DESC: type, address, format, channels, bytes; CUDA_TEXTURE_DESC: flags. */
int cuTexObjectCreate(uint64_t* made, const void* resource, const void* how, const void* view) {
  CHECK;
  uint64_t address, bytes;
  uint32_t words[36], described[26];
  memcpy(words, resource, sizeof words);
  memcpy(described, how, sizeof described);
  memcpy(&address, words + 2, 8);
  memcpy(&bytes, words + 6, 8);
  if (words[0] != 2 || words[4] != 3 || words[5] != 1 || words[34] || described[4] != 1 || view) return 1;
  if (address % ALIGNED || !bytes || bytes % 4 || bytes / 4 > MOST_TEXELS || !is_there(address, bytes)) return 1;
  for (int n = 0; n < 256; ++n)
    if (!texture_at[n]) { *made = texture_at[n] = address; ++textures; return 0; }
  return 2;
}
int cuTexObjectDestroy(uint64_t object) {
  CHECK;
  for (int n = 0; n < 256; ++n)
    if (object && texture_at[n] == object) { texture_at[n] = 0; --textures; return 0; }
  return 400;
}

int stand_in_alive(int kind) {
  int found = 0;
  if (kind == 'e') return events;
  if (kind == 't') return textures;
  if (kind == 'm') return modules;
  if (kind == 'l') return late;
  if (kind == 's') for (Stream* one = streams; one; one = one->next) ++found;
  if (kind == 'a') for (int at = 0; at < takings; ++at) found += taken[at].address != 0;
  return found;
}
