/* What the kernels of a whole suite do, for the stand-in of the driver: a file tells it by their names.
 *
 * STAND_IN_PLAN=FILE holds a line for each kernel:   NAME KIND ARGUMENTS UNROLL STEPS CYCLES NS BYTES
 *     KIND       c chase by address, x by texture, k through constant memory, h on the chip; t trace; m one line after
 *                the other; u bulk copies; w timed as a whole; g the same with one thread a block that
 *                speaks; b a window in every thread
 *     ARGUMENTS  a letter each: o and O output of 32 and 64 bits, c and C clocks alike, n node, N nodes, x texture, p any
 *                other pointer (8 bytes); i index of a node, l loads, w windows, r rounds, T turns, B block that answers,
 *                A words that every thread adds e (4 bytes) to, turn by turn; s any other number (4 bytes); t tensor map; f what is copied to p, so many bytes as s says
 *     STEPS      of a trace; of a chase the loads that lead to a window
 *     CYCLES     of one window; NS of a launch, for each of its turns where it takes turns; BYTES that a thread moves a turn
 * STAND_IN_FAULTS=KERNEL:BEHAVIOUR,...  the kernels whose names hold KERNEL do that (`libcuda.c` says what there is);
 * STAND_IN_ONCE=FILE: only until a fault has left this file behind.
 * STAND_IN_REAL=1: a launch takes as long as it says, and who waits for the device waits; else time is the device's own. */
#include <fcntl.h>
#include <time.h>

typedef struct { char name[192], kind, arguments[16]; int unroll, steps; unsigned cycles; double ns, bytes; } Known;
typedef struct { uint64_t address; size_t size; } Taken;

static Taken taken[4096];
static int takings;
static double GHZ = 1.98;
enum { MULTIPROCESSORS = 132, ON_CHIP_BASE = 1024, FEW_THREADS = 1 << 17 };

static int real_time(void) { static int said = -1; return said < 0 ? (said = number("STAND_IN_REAL", 0)) : said; }

static uint64_t host_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Work of so many nanoseconds is queued; `now` is when it ends. */
static void occupy(double ns) {
  if (real_time() && host_ns() > now) now = host_ns();
  now += (uint64_t)ns;
}

static void wait_for_device(void) {
  if (!real_time()) return;
  for (uint64_t at = host_ns(); at < now; at = host_ns()) {
    struct timespec rest = {(time_t)((now - at) / 1000000000u), (long)((now - at) % 1000000000u)};
    nanosleep(&rest, NULL);
  }
}

static void take(uint64_t address, size_t size) {
  for (int n = 0; n < takings; ++n) if (!taken[n].address) { taken[n] = (Taken){address, size}; return; }
  if (takings < 4096) taken[takings++] = (Taken){address, size};
}

static void give_back(uint64_t address) {
  for (int n = 0; n < takings; ++n) if (taken[n].address == address) taken[n].address = taken[n].size = 0;
}

static size_t all_taken(void) {
  size_t sum = 0;
  for (int n = 0; n < takings; ++n) sum += taken[n].size;
  return sum;
}

static size_t size_at(uint64_t address) {
  for (int n = 0; n < takings; ++n)
    if (taken[n].address <= address && address < taken[n].address + taken[n].size) return taken[n].size;
  return 0;
}

static int is_locked(uint64_t address); /* memory of the host, which kernels reach over the link */
enum { LINK_CYCLES = 1300 };

/* A load from memory of that size, in cycles. */
static unsigned load_cycles(size_t size) {
  return size <= 200 << 10 ? 33 : size <= 24 << 20 ? 210 : size <= 50 << 20 ? 280 : 620;
}

static const Known* known(const char* name) {
  static Known* all;
  static int count = -1;
  if (count < 0) {
    const char* path = getenv("STAND_IN_PLAN");
    FILE* file = path ? fopen(path, "r") : NULL;
    count = 0;
    if (!file) return NULL;
    all = calloc(4096, sizeof *all);
    for (; count < 4096; ++count) {
      Known* k = all + count;
      if (fscanf(file, "%191s %c %15s %d %d %u %lf %lf", k->name, &k->kind, k->arguments, &k->unroll, &k->steps, &k->cycles,
                 &k->ns, &k->bytes) != 8)
        break;
    }
    fclose(file);
  }
  for (int n = 0; n < count; ++n) if (strcmp(all[n].name, name) == 0) return all + n;
  return NULL;
}

/* What a kernel does wrong; empty: nothing. */
static const char* behaviour_of(const char* name) {
  static char found[32];
  const char *faults = getenv("STAND_IN_FAULTS"), *once = getenv("STAND_IN_ONCE");
  if (!faults || (once && access(once, F_OK) == 0)) return "";
  char copy[1024], *rest = NULL;
  snprintf(copy, sizeof copy, "%s", faults);
  for (char* part = strtok_r(copy, ",", &rest); part; part = strtok_r(NULL, ",", &rest)) {
    char* colon = strchr(part, ':');
    if (!colon) continue;
    *colon = 0;
    if (!strstr(name, part)) continue;
    if (once) close(open(once, O_CREAT | O_WRONLY, 0644));
    snprintf(found, sizeof found, "%s", colon + 1);
    return found;
  }
  return "";
}

/* ELF64, as a cubin has it. */
static const char* section(const char* image, const char* name, uint64_t* size) {
  if (memcmp(image, "\177ELF", 4)) return NULL;
  uint64_t table;
  uint16_t count, strings;
  memcpy(&table, image + 40, 8);
  memcpy(&count, image + 60, 2);
  memcpy(&strings, image + 62, 2);
  uint64_t names;
  memcpy(&names, image + table + 64 * strings + 24, 8);
  for (unsigned n = 0; n < count; ++n) {
    const char* head = image + table + 64 * n;
    uint32_t at;
    uint64_t offset;
    memcpy(&at, head, 4);
    memcpy(&offset, head + 24, 8);
    memcpy(size, head + 32, 8);
    if (strcmp(image + names + at, name) == 0) return image + offset;
  }
  return NULL;
}

/* A copy of a cubin: who loads it need not keep it. */
static const char* copied(const char* image) {
  if (memcmp(image, "\177ELF", 4)) return NULL;
  uint64_t sections, segments;
  uint16_t section_count, segment_count;
  memcpy(&segments, image + 32, 8);
  memcpy(&sections, image + 40, 8);
  memcpy(&segment_count, image + 56, 2);
  memcpy(&section_count, image + 60, 2);
  uint64_t size = sections + 64ull * section_count, other = segments + 56ull * segment_count;
  char* kept = malloc(size > other ? size : other);
  return memcpy(kept, image, size > other ? size : other);
}

/* 13000 of a cubin that says "release 13.0"; 0: it does not say. */
static int release_of(const char* image) {
  uint64_t size;
  const char* note = section(image, ".note.nv.tkinfo", &size);
  int major = 0, minor = 0;
  for (uint64_t n = 0; note && n + 8 < size; ++n)
    if (memcmp(note + n, "release ", 8) == 0 && sscanf(note + n + 8, "%d.%d", &major, &minor) == 2)
      return 1000 * major + 10 * minor;
  return 0;
}

/* The entry of a name in the table of symbols; nothing where there is none. */
static const char* entry(const char* image, const char* name) {
  uint64_t size, unused;
  const char *symbols = section(image, ".symtab", &size), *names = section(image, ".strtab", &unused);
  for (uint64_t n = 0; symbols && names && n + 24 <= size; n += 24) {
    uint32_t at;
    memcpy(&at, symbols + n, 4);
    if (strcmp(names + at, name) == 0) return symbols + n;
  }
  return NULL;
}

static int has_symbol(const char* image, const char* name) {
  uint64_t size;
  return !section(image, ".symtab", &size) || entry(image, name);
}

/* Where a variable lies in the constant memory of its module. */
static uint64_t symbol(const char* image, const char* name) {
  uint64_t value = 0;
  const char* found = entry(image, name);
  if (found) memcpy(&value, found + 8, 8);
  return value;
}

static uint64_t word(uint64_t address, int bytes) {
  uint64_t found = 0;
  memcpy(&found, (void*)(uintptr_t)address, (size_t)bytes);
  return found;
}

static void put(uint64_t address, uint64_t index, uint64_t what, int bytes) {
  memcpy((char*)(uintptr_t)address + index * (unsigned)bytes, &what, (size_t)bytes);
}

typedef struct { uint64_t of[128]; } Given;

/* Arguments by their letters; of several alike the last. */
static void read_arguments(const Known* k, void** parameters, const char* buffer, Given* given) {
  size_t at = 0;
  memset(given, 0, sizeof *given);
  for (int n = 0; k->arguments[n]; ++n) {
    char letter = k->arguments[n];
    size_t bytes = strchr("ilwrTBse", letter) ? 4 : letter == 't' ? 128 : 8;
    at = (at + bytes - 1) / bytes * bytes;
    const char* place = parameters ? parameters[n] : buffer + at;
    at += bytes;
    given->of[(int)letter] = letter == 't' ? 0 : word((uint64_t)(uintptr_t)place, (int)bytes);
  }
}

typedef struct { const Known* known; uint64_t constants, base; Given given; } Launch;

static uint64_t next_node(const Launch* launch, uint64_t node, uint64_t base) {
  const Given* g = &launch->given;
  switch (launch->known->kind) {
    case 'x': return word(g->of['x'] + 4 * node, 4);
    case 'k': return word(launch->constants + node - base, 4);
    case 'h': return ON_CHIP_BASE + word(g->of['N'] + node - ON_CHIP_BASE, 4);
    default: return word(node, 8);
  }
}

/* Follows the nodes; nanoseconds. */
static double chase(const Launch* launch) {
  const Known* k = launch->known;
  const Given* g = &launch->given;
  int wide = g->of['O'] != 0, traced = k->kind == 't';
  uint64_t rounds = traced ? (uint64_t)k->steps : k->kind == 'x' ? 1 : g->of['w'];
  uint64_t unroll = traced ? 1 : (uint64_t)k->unroll;
  uint64_t base = launch->base;
  uint64_t node = k->kind == 'h' ? ON_CHIP_BASE : k->kind == 'x' || k->kind == 'k' ? g->of['i'] + base : g->of['n'];
  unsigned each = k->kind == 'k' || k->kind == 'h' ? 30 : load_cycles(size_at(k->kind == 'x' ? g->of['x'] : node));
  if (is_locked(node)) each = LINK_CYCLES;
  for (uint64_t n = 0; n < g->of['l']; ++n) node = next_node(launch, node, base);
  for (uint64_t r = 0; r < rounds; ++r) {
    if (!traced) for (int n = 0; n < k->steps; ++n) node = next_node(launch, node, base);
    for (uint64_t n = 0; n < unroll; ++n) node = next_node(launch, node, base);
    if (k->kind == 'x') node = next_node(launch, node, base);
    put(wide ? g->of['O'] : g->of['o'], r, node, wide ? 8 : 4);
    if (traced) put(g->of['c'], r, each, 4);
    else { put(g->of['c'], 2 * r, 7, 4); put(g->of['c'], 2 * r + 1, 7 + each * unroll + 2, 4); }
  }
  return (double)((g->of['l'] + rounds * unroll) * each) / GHZ;
}

/* Clock reads of every thread, or of the first of each block, and where each block ran. */
static void clocks(const Known* k, const Given* g, unsigned blocks, unsigned threads, unsigned cycles) {
  int bytes = g->of['C'] ? 8 : 4;
  uint64_t at = g->of['C'] ? g->of['C'] : g->of['c'];
  if (k->kind == 'g') threads = 1; /* others have no place */
  unsigned each = (uint64_t)blocks * threads > FEW_THREADS || k->kind == 'w' ? 1 : threads;
  for (unsigned block = 0; block < blocks; ++block) {
    for (unsigned thread = 0; thread < each; ++thread) {
      put(at, 2 * ((uint64_t)block * threads + thread), 1000, bytes);
      put(at, 2 * ((uint64_t)block * threads + thread) + 1, 1000 + cycles, bytes);
    }
    put(at, 2 * (uint64_t)blocks * threads + block, block % MULTIPROCESSORS, bytes);
  }
}

/* One launch of a kernel of the plan. */
static void run_known(Launch* launch, unsigned blocks, unsigned threads, const char* behaviour, int launches) {
  const Known* k = launch->known;
  const Given* g = &launch->given;
  uint64_t result = strcmp(behaviour, "wrong") == 0 ? (uint64_t)launches : 42;
  unsigned cycles = strcmp(behaviour, "still") == 0 ? 0 : k->cycles;
  double ns = cycles / GHZ + 1500;
  if (g->of['o']) for (int n = 0; n < 4; ++n) put(g->of['o'], (uint64_t)n, result, 4);
  if (g->of['O']) put(g->of['O'], 0, result, 8);
  if (g->of['A']) put(g->of['A'], 0, word(g->of['A'], 4) + g->of['e'] * g->of['T'] * (unsigned)k->unroll * threads * blocks, 4);
  if (strchr("cxkht", k->kind)) ns += chase(launch);
  else if (k->kind == 'm' || k->kind == 'u') {
    if (k->kind == 'm') put(g->of['o'], 0, g->of['B'], 4);
    if (g->of['f']) memcpy((void*)(uintptr_t)g->of['p'], (const void*)(uintptr_t)g->of['f'], g->of['s']);
    for (uint64_t n = 0; n < g->of['w']; ++n) { put(g->of['c'], 2 * n, 7, 4); put(g->of['c'], 2 * n + 1, 7 + cycles, 4); }
    ns += (double)g->of['w'] * cycles / GHZ;
  } else {
    clocks(k, g, blocks, threads, cycles);
    double turns = g->of['T'] ? (double)g->of['T'] : 1;
    double moved = k->bytes * threads * blocks * turns * (g->of['r'] ? (double)g->of['r'] : 1);
    ns += k->ns * turns + moved / (is_locked(g->of['p']) ? 50.0 : blocks < 80 ? 55.0 * blocks : 4300.0); /* bytes a nanosecond */
  }
  occupy(ns);
}
