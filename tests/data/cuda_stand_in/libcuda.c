/* A libcuda.so.1 for tests: device memory is host memory, and a kernel does what its module says in words.
 *
 * A module that begins with "stand-in" is text:   stand-in ARGUMENTS CYCLES BEHAVIOUR
 *     ARGUMENTS  letters in the order of the kernel's parameters: i input, o output, c clocks (32 bits),
 *                t tensor map (the sum of its tile goes to the output), s a number,
 *                T tensor map, before three numbers: bytes, copies, columns from one to the next; what the last
 *                copy leaves in shared memory goes to the output as it lies there
 *     CYCLES     that every window takes
 *     BEHAVIOUR  fine, wrong (results change from launch to launch), still (the clock), hang, fault (sticky),
 *                refused (launch error), misfit (a cluster that fits nowhere), unwritten (the kernel does nothing)
 * Any other module is a cubin, of which it knows the launcher's own kernels and those of a plan (`plan.h`).
 * STAND_IN_INIT, STAND_IN_COUNT and STAND_IN_PACE=0 (%globaltimer stands still) spoil the driver itself;
 * STAND_IN_NEWEST=13000: it refuses cubins of a newer compiler;
 * STAND_IN_LACKS=N: it does not know attribute N of a device; STAND_IN_TOTAL=N: bytes of memory, of which half are free;
 * STAND_IN_GONE=FILE: a sticky error leaves this file behind, and where it is cuInit fails: the device fell off the bus. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Function { struct Module* module; struct Function* next; char name[256]; unsigned dynamic; int wide, carve_out; } Function;
typedef struct Module {
  char arguments[16], behaviour[16];
  unsigned cycles;
  int own, gone;
  const char* image;
  uint64_t variables, base;
  Function* functions;
  struct Module* next;
} Module;
typedef struct { uint64_t address, columns, rows, pitch, width; int swizzle; } Tile;
enum { TILE_AT = 64 }; /* in a tensor map */
enum { PIECE_BYTES = 1 << 20, HUGE_BYTES = 1 << 26, VARIABLES_BYTES = 1 << 16, LAST_ATTRIBUTE = 15 };
enum { OWN_SHARED = 1024, WITHOUT_ASKING = 49152, MOST_SHARED = 232448 };

static int sticky, launches;
enum { BOOT_NS = 1000000 };
static uint64_t now = BOOT_NS;

static int number(const char* name, int otherwise) {
  const char* text = getenv(name);
  return text ? atoi(text) : otherwise;
}
static Module* loaded;

#include "plan.h"
#include "link.h"
#include "strict.h"
#include "image.h"

static const char* gone(void) { const char* path = getenv("STAND_IN_GONE"); return path ? path : ""; }

int cuInit(unsigned flags) {
  int code = flags ? 1 : access(gone(), F_OK) == 0 ? 999 : number("STAND_IN_INIT", 0);
  initialised |= !code;
  return code;
}
#ifdef WITH_PROC_ADDRESS
/* How cuda-bindings finds its calls: the newest entry point of a name. */
int cuGetProcAddress_v2(const char* symbol, void** entry, int version, uint64_t flags, int* status) {
  (void)version; (void)flags;
  char newer[256];
  Dl_info here;
  dladdr((void*)number, &here);
  void* library = dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  snprintf(newer, sizeof newer, "%s_v2", symbol);
  *entry = dlsym(library, newer);
  if (!*entry) *entry = dlsym(library, symbol);
  if (status) *status = *entry ? 0 : 1;
  return *entry ? 0 : 500;
}
#endif
int cuDriverGetVersion(int* v) { *v = number("STAND_IN_VERSION", 13000); return 0; }
int cuDeviceGetCount(int* n) { STARTED; *n = number("STAND_IN_COUNT", 1); return 0; }
int cuDeviceGet(int* d, int n) { STARTED; if (n < 0 || n >= number("STAND_IN_COUNT", 1)) return 101; *d = n; return 0; }
int cuDeviceGetName(char* s, int n, int d) { STARTED; (void)d; strncpy(s, "NVIDIA H200", (size_t)n); return 0; }
int cuDeviceGetPCIBusId(char* s, int n, int d) { STARTED; (void)d; strncpy(s, "0000:3B:00.0", (size_t)n); return 0; }
int cuDeviceTotalMem_v2(size_t* n, int d) { STARTED; (void)d; *n = (size_t)141 << 30; return 0; }
int cuDeviceGetAttribute(int* v, int which, int d) {
  STARTED;
  if (d < 0 || d >= number("STAND_IN_COUNT", 1)) return 101;
  if (which < 1 || which == number("STAND_IN_LACKS", -1)) return 1;
  static const int told[][2] = {{13, 1980000}, {32, 1}, {33, 0x3b}, {36, 3201000}, {37, 6144},
                                {75, 9}, {81, 228 << 10}, {97, MOST_SHARED}};
  int whole = getenv("STAND_IN_PLAN") != NULL;
  *v = which == 16 ? (whole ? MULTIPROCESSORS : 4) : which == 38 ? (whole ? 60 << 20 : 65536) : which == 20 ? number("STAND_IN_MODE", 0) : 0;
  for (unsigned n = 0; n < sizeof told / sizeof *told; ++n) if (told[n][0] == which) *v = told[n][1];
  return 0;
}
int cuCtxSynchronize(void) { CHECK; join_streams(); wait_for_device(); seen = now; return 0; }
static size_t total(void) {
  const char* said = getenv("STAND_IN_TOTAL");
  return said ? (size_t)strtoull(said, NULL, 10) : (size_t)8 << 30;
}
int cuMemGetInfo_v2(size_t* f, size_t* t) { CHECK; *t = total(); *f = total() - all_taken(); return 0; }
/* Memory is not cleared. */
int cuMemAlloc_v2(uint64_t* p, size_t n) {
  CHECK;
  if (!n) return 1;
  if (all_taken() + n > total()) return 2;
  void* made = aligned_alloc(ALIGNED, (n + ALIGNED - 1) / ALIGNED * ALIGNED);
  if (!made) return 2;
  memset(made, GARBAGE, n < PIECE_BYTES ? n : PIECE_BYTES);
  *p = (uint64_t)(uintptr_t)made;
  take(*p, n);
  return 0;
}
int cuMemFree_v2(uint64_t p) {
  CHECK;
  if (!begins(p)) return 1;
  give_back(p);
  free((void*)(uintptr_t)p);
  return 0;
}
int cuMemcpyHtoD_v2(uint64_t to, const void* from, size_t n) {
  CHECK;
  if (!is_there(to, n) || !from) return 1;
  memcpy((void*)(uintptr_t)to, from, n);
  return 0;
}
int cuMemcpyDtoH_v2(void* to, uint64_t from, size_t n) {
  CHECK;
  if (!is_there(from, n) || !to) return 1;
  join_streams();
  wait_for_device();
  seen = now;
  memcpy(to, (void*)(uintptr_t)from, n);
  return 0;
}
int cuMemcpyDtoD_v2(uint64_t to, uint64_t from, size_t n) {
  CHECK;
  if (!is_there(to, n) || !is_there(from, n) || (to < from + n && from < to + n)) return 1;
  /* of large arrays the first piece is enough: nobody looks at the rest, and the host is slow */
  if (size_at(to) < HUGE_BYTES || n < PIECE_BYTES) memmove((void*)(uintptr_t)to, (void*)(uintptr_t)from, n);
  if (n >= PIECE_BYTES) occupy((double)n / 2150);
  return 0;
}
int cuMemsetD32_v2(uint64_t to, unsigned word, size_t n) {
  CHECK;
  if (to % 4 || !is_there(to, 4 * n)) return 1;
  for (size_t i = 0; i < n; ++i) ((uint32_t*)(uintptr_t)to)[i] = word;
  return 0;
}
int cuModuleLoadData(void** m, const void* image) {
  CHECK;
  Module* made = calloc(1, sizeof *made);
  made->own = strncmp(image, "stand-in ", 9) != 0;
  if (made->own && release_of(image) > number("STAND_IN_NEWEST", 1 << 30)) return 200;
  made->image = made->own ? copied(image) : NULL;
  if (!made->own && sscanf((const char*)image + 9, "%15s %u %15s", made->arguments, &made->cycles, made->behaviour) != 3)
    return 200;
  made->next = loaded;
  loaded = made;
  ++modules;
  *m = made;
  return 0;
}
static int is_module(const Module* m) {
  for (Module* one = loaded; one; one = one->next) if (one == m) return !m->gone;
  return 0;
}
static int is_function(const Function* f) {
  for (Module* m = loaded; m; m = m->next)
    for (Function* one = m->functions; one; one = one->next) if (one == f) return !m->gone;
  return 0;
}
static int is_variable(uint64_t address, size_t n) {
  for (Module* m = loaded; m; m = m->next) {
    Taken variables = {m->gone ? 0 : m->variables, VARIABLES_BYTES};
    if (holds(&variables, address, n)) return 1;
  }
  return 0;
}
int cuModuleLoadDataEx(void** m, const void* image, unsigned n, void* options, void* values) {
  (void)n; (void)options; (void)values;
  return cuModuleLoadData(m, image);
}
int cuModuleUnload(void* m) {
  CHECK;
  if (!is_module(m)) return 400;
  ((Module*)m)->gone = 1;
  --modules;
  return 0;
}
static unsigned own_shared(Function* f) { return f->module->image ? static_shared(f->module->image, f->name) : OWN_SHARED; }
/* A name has one handle, which keeps what was set; it loads what is loaded late. */
int cuModuleGetFunction(void** f, void* m, const char* name) {
  CHECK;
  Module* of = m;
  if (!is_module(of)) return 400;
  for (Function* one = of->functions; one; one = one->next) if (strcmp(one->name, name) == 0) { *f = one; return 0; }
  if (of->image && !has_symbol(of->image, name)) return 500;
  late += now > seen;
  Function* made = calloc(1, sizeof *made);
  made->module = m;
  strncpy(made->name, name, sizeof made->name - 1);
  made->dynamic = WITHOUT_ASKING - own_shared(made);
  made->next = of->functions;
  of->functions = made;
  *f = made;
  return 0;
}
int cuModuleGetGlobal_v2(uint64_t* p, size_t* n, void* m, const char* name) {
  CHECK;
  Module* of = m;
  if (!is_module(of)) return 400;
  if (!of->image || !has_symbol(of->image, name)) return 500;
  of->base = symbol(of->image, name); /* one variable a module */
  if (!of->variables) of->variables = (uint64_t)(uintptr_t)calloc(1, VARIABLES_BYTES);
  *p = of->variables;
  *n = VARIABLES_BYTES;
  return 0;
}
/* NVRTC asks for tables that are not documented. */
int cuGetExportTable(const void** table, const void* id) { (void)id; *table = NULL; return 500; }
int cuFuncGetAttribute(int* v, int which, void* f) {
  CHECK;
  if (!is_function(f)) return 400;
  if (which < 0 || which > LAST_ATTRIBUTE) return 1;
  *v = which == 1 ? (int)own_shared(f) : which == 8 ? (int)((Function*)f)->dynamic : 16;
  return 0;
}
int cuFuncSetAttribute(void* function, int which, int v) {
  CHECK;
  Function* f = function;
  if (!is_function(f)) return 400;
  if (which == 8 && v >= 0 && v <= MOST_SHARED - (int)own_shared(f)) f->dynamic = (unsigned)v;
  else if (which == 9 && v >= -1 && v <= 100) f->carve_out = v;
  else if (which == 14 && (v == 0 || v == 1)) f->wide = v;
  else return 1;
  return 0;
}
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int* n, void* f, int threads, size_t shared) {
  CHECK;
  if (!is_function(f)) return 400;
  if (threads < 1 || threads > 1024 || shared > ((Function*)f)->dynamic) return 1;
  int by_shared = MOST_SHARED / (int)(shared + OWN_SHARED);
  *n = 2048 / threads < by_shared ? 2048 / threads : by_shared;
  return 0;
}
int cuFuncSetBlockShape(void* f, int x, int y, int z) { (void)f; (void)x; (void)y; (void)z; return 0; }
int cuFuncSetSharedSize(void* f, unsigned n) { (void)f; (void)n; return 0; }
#ifndef WITHOUT_TENSOR_MAPS
int cuTensorMapEncodeTiled(void* map, int type, unsigned rank, void* address, const uint64_t* sizes, const uint64_t* strides,
                           const unsigned* box, const unsigned* steps, int interleave, int swizzle, int promotion, int fill) {
  CHECK;
  if (number("STAND_IN_NO_MAPS", 0)) return 801;
  if ((uintptr_t)map % 64 || (uintptr_t)address % 16 || type != 2 || rank != 2 || strides[0] % 16 || strides[0] < 4 * sizes[0])
    return 1;
  for (unsigned n = 0; n < rank; ++n) if (box[n] < 1 || box[n] > 256 || box[n] > sizes[n] || steps[n] != 1) return 1;
  if (4 * box[0] % 16 || interleave || fill || swizzle < 0 || swizzle > 3 || promotion < 0 || promotion > 3) return 1;
  if (swizzle && 4 * box[0] > 16u << swizzle) return 1;
  Tile made = {(uint64_t)(uintptr_t)address, box[0], box[1], strides[0], sizes[0], swizzle};
  memset(map, 0, 128);
  memcpy((char*)map + TILE_AT, &made, sizeof made);
  return 0;
}
#endif
int cuGetErrorString(int code, const char** text) {
  *text = code == 2 ? "out of memory" : code == 200 ? "device kernel image is invalid"
        : code == 700 ? "an illegal memory access was encountered"
        : code == 912 ? "a kernel launch error has occurred due to cluster misconfiguration" : "a stand-in's error";
  return 0;
}
int cuGetErrorName(int code, const char** text) { (void)code; *text = "CUDA_ERROR_STAND_IN"; return 0; }

static uint64_t value(void** parameters, char* buffer, int n) {
  uint64_t found;
  memcpy(&found, parameters ? parameters[n] : buffer + 8 * n, 8);
  return found;
}

/* Bits 4 and up of an address, turned by bits 7 and up: one, two or three of them. */
static uint64_t swizzled(uint64_t at, int swizzle) {
  const char* said = getenv("STAND_IN_TILES");
  if (said && strcmp(said, "plain") == 0) return at;
  return at ^ ((at >> 7 & ((1u << swizzle) - 1)) << 4);
}

static int tile_of(void** parameters, int n, uint32_t** left, uint64_t* words) {
  Tile tile;
  memcpy(&tile, (char*)parameters[n] + TILE_AT, sizeof tile);
  uint64_t bytes = value(parameters, NULL, n + 1), copies = value(parameters, NULL, n + 2), step = value(parameters, NULL, n + 3);
  uint64_t first = step * (copies - 1);
  if (first + tile.columns > tile.width || 4 * tile.columns * tile.rows != bytes) return 1;
  *words = tile.columns * tile.rows;
  *left = malloc(bytes);
  for (uint64_t at = 0; at < *words; ++at)
    (*left)[swizzled(4 * at, tile.swizzle) / 4] =
        *(uint32_t*)(uintptr_t)(tile.address + at / tile.columns * tile.pitch + (first + at % tile.columns) * 4);
  return 0;
}

static int own(Function* f, void** parameters, char* buffer) {
  void* out = (void*)(uintptr_t)value(parameters, buffer, 0);
  if (strcmp(f->name, "frame_wait") == 0) {
    uint64_t* words = out;
    uint64_t ns = value(parameters, buffer, 1) / 2;
    occupy((double)ns);
    words[0] = 5 * now; words[1] = words[0] + ns * 198 / 100;
    words[2] = now; words[3] = now + (number("STAND_IN_PACE", 1) ? ns : 0);
  } else if (strcmp(f->name, "frame_empty_32") == 0) {
    ((uint32_t*)out)[0] = 100; ((uint32_t*)out)[1] = 102;
  } else {
    ((uint64_t*)out)[0] = 100; ((uint64_t*)out)[1] = 102;
  }
  return 0;
}

int cuLaunchKernel(void* function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void* stream, void** parameters, void** extra) {
  CHECK;
  Function* f = function;
  if (!is_function(f) || !is_stream(stream)) return 400;
  if (extra && (parameters || extra[0] != (void*)1 || extra[2] != (void*)2 || extra[4])) return 1;
  if (shared > f->dynamic || bx * by * bz > 1024 || bx * by * bz == 0 || gx == 0 || gy == 0 || gz == 0) return 1;
  if (gy > 65535 || gz > 65535 || (strstr(f->name, "cluster_16") && !f->wide)) return 1;
  Module* m = f->module;
  char* buffer = extra ? extra[1] : NULL;
  int refused = m->image ? unfit(m->image, f->name, gx * gy * gz, bx * by * bz, shared, f->wide, extra) : 0;
  if (refused) return refused;
  ++launches;
  join_streams();
  Launch launch = {.known = m->own ? known(f->name) : NULL, .constants = m->variables, .base = m->base};
  if (m->own && !launch.known) return own(f, parameters, buffer);
  const char* behaviour = launch.known ? behaviour_of(f->name) : m->behaviour;
  if (strcmp(behaviour, "refused") == 0) return 701;
  if (strcmp(behaviour, "misfit") == 0) return 912;
  if (strcmp(behaviour, "fault") == 0) {
    FILE* left = *gone() ? fopen(gone(), "w") : NULL;
    if (left) fclose(left);
    sticky = 700;
    return 0;
  }
  if (strcmp(behaviour, "hang") == 0) for (;;) sleep(1);
  if (strcmp(behaviour, "unwritten") == 0) return 0;
  if (launch.known) {
    read_arguments(launch.known, parameters, buffer, &launch.given);
    uint32_t* last = NULL;
    uint64_t words = 0;
    if (strncmp(launch.known->arguments, "tsws", 4) == 0) { /* a walk of tiles: what its last copy leaves */
      if (!parameters || tile_of(parameters, 0, &last, &words)) return 1;
    }
    run_known(&launch, gx * gy, bx, behaviour, launches);
    if (last) memcpy((void*)(uintptr_t)launch.given.of['o'], last, 4 * words);
    free(last);
    return 0;
  }
  unsigned cycles = strcmp(m->behaviour, "still") == 0 ? 0 : m->cycles;
  uint32_t sum = 42, *left = NULL;
  uint64_t kept = 0;
  for (int n = 0; m->arguments[n]; ++n) {
    if (m->arguments[n] == 's') continue;
    if (m->arguments[n] == 't') {
      if (!parameters) return 1;
      Tile tile;
      memcpy(&tile, (char*)parameters[n] + TILE_AT, sizeof tile);
      for (uint64_t at = sum = 0; at < tile.columns * tile.rows; ++at)
        sum += *(uint32_t*)(uintptr_t)(tile.address + at / tile.columns * tile.pitch + at % tile.columns * 4);
      continue;
    }
    if (m->arguments[n] == 'T') {
      if (!parameters || tile_of(parameters, n, &left, &kept)) return 1;
      continue;
    }
    uint32_t* words = (uint32_t*)(uintptr_t)value(parameters, buffer, n);
    if (m->arguments[n] == 'o' && left) {
      memcpy(words, left, 4 * kept);
      free(left);
    } else if (m->arguments[n] == 'o') words[0] = strcmp(m->behaviour, "wrong") == 0 ? (uint32_t)launches : sum;
    if (m->arguments[n] != 'c') continue;
    for (unsigned thread = 0; thread < gx * bx; ++thread) {
      words[2 * thread] = 0xFFFFFF00u; /* the counter wraps round within the window */
      words[2 * thread + 1] = 0xFFFFFF00u + cycles;
    }
    for (unsigned block = 0; block < gx; ++block) words[2 * gx * bx + block] = 3;
  }
  occupy(5000);
  return 0;
}
