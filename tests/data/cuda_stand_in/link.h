/* Memory of the host and copies over the link, in streams that wait for kernels and that kernels wait for.
 *
 * STAND_IN_LINK=wrong: copies to the host leave out their last bytes; STAND_IN_HOST=N: bytes that may be page-locked. */
typedef struct Stream { uint64_t until; struct Stream* next; } Stream;

static Stream* streams;
static Taken locked[64];
static int is_there(uint64_t address, size_t size), is_stream(const void* stream);
enum { ORDER_NS = 1800 }; /* of a copy, beside its bytes */

static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The stream that kernels are in waits for all others. */
static void join_streams(void) { for (Stream* one = streams; one; one = one->next) now = later(now, one->until); }

static int is_locked(uint64_t address) {
  for (int n = 0; n < 64; ++n) if (locked[n].address <= address && address < locked[n].address + locked[n].size) return 1;
  return 0;
}

static int refusal(void);
#define CHECK do { int why = refusal(); if (why) return why; } while (0)

int cuStreamCreate(void** made, unsigned flags) {
  CHECK;
  if (flags) return 1;
  Stream* one = calloc(1, sizeof *one);
  one->next = streams;
  streams = one;
  *made = one;
  return 0;
}
int cuStreamDestroy_v2(void* stream) {
  CHECK;
  for (Stream** at = &streams; *at; at = &(*at)->next)
    if (*at == stream) { now = later(now, (*at)->until); *at = (*at)->next; free(stream); return 0; }
  return 400;
}
int cuMemHostAlloc(void** made, size_t size, unsigned flags) {
  CHECK;
  const char* most = getenv("STAND_IN_HOST");
  if (flags != 2 || !size) return 1;
  if (most && size > (size_t)strtoull(most, NULL, 10)) return 2;
  for (int n = 0; n < 64; ++n)
    if (!locked[n].address) {
      *made = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
      locked[n] = (Taken){(uint64_t)(uintptr_t)*made, size};
      return 0;
    }
  return 2;
}
int cuMemFreeHost(void* memory) {
  CHECK;
  for (int n = 0; n < 64; ++n)
    if (locked[n].address == (uint64_t)(uintptr_t)memory) {
      locked[n] = (Taken){0, 0};
      free(memory);
      return 0;
    }
  return 1;
}
int cuMemHostGetDevicePointer_v2(uint64_t* address, void* memory, unsigned flags) {
  CHECK;
  if (flags || !is_locked((uint64_t)(uintptr_t)memory)) return 1;
  *address = (uint64_t)(uintptr_t)memory;
  return 0;
}

static void over_the_link(Stream* stream, uint64_t host, size_t size, double rate) {
  if (!stream) { occupy((double)size / rate); return; }
  uint64_t start = later(stream->until, real_time() ? later(now, host_ns()) : now);
  stream->until = start + ORDER_NS + (uint64_t)((double)size / (is_locked(host) ? rate : 9));
  if (!is_locked(host)) { join_streams(); wait_for_device(); }
}
int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t size, void* stream) {
  CHECK;
  if (!is_there(to, size) || !is_stream(stream)) return 1;
  memcpy((void*)(uintptr_t)to, from, size);
  over_the_link(stream, (uint64_t)(uintptr_t)from, size, 55);
  return 0;
}
int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t size, void* stream) {
  CHECK;
  const char* said = getenv("STAND_IN_LINK");
  if (!is_there(from, size) || !is_stream(stream)) return 1;
  memcpy(to, (void*)(uintptr_t)from, said && strcmp(said, "wrong") == 0 ? size - 8 : size);
  over_the_link(stream, (uint64_t)(uintptr_t)to, size, 53);
  return 0;
}
