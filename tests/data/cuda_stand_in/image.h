/* What a cubin says of a kernel, and whether a launch fits it: the limits of a multiprocessor of sm_90.
 *
 * Attributes are in the sections .nv.info: a byte of format, one of kind, and 16 bits that are a value (format 3) or, of
 * others (format 4), the bytes that follow. */
enum { THREADS = 0x05, PARAMETER_BYTES = 0x19, REGISTERS = 0x2f, CLUSTER = 0x3d };
enum { RESERVED_SHARED = 1024, ALL_SHARED = 228 << 10, ALL_REGISTERS = 65536, REGISTER_UNIT = 256, PORTABLE = 8 };

/* The bytes of an attribute, from `from` on; of format 3 the value itself. */
static const char* attribute(const char* image, const char* named, int kind, const char* from) {
  uint64_t size;
  const char *start = section(image, named, &size), *at = from ? from : start;
  while (start && at + 4 <= start + size) {
    uint16_t length;
    memcpy(&length, at + 2, 2);
    if ((unsigned char)at[1] == kind) return *at == 4 ? at + 4 : at + 2;
    at += 4 + (*at == 4 ? length : 0);
  }
  return NULL;
}

static const char* of_kernel(const char* image, const char* kernel, int kind) {
  char named[300];
  snprintf(named, sizeof named, ".nv.info.%s", kernel);
  return attribute(image, named, kind, NULL);
}

static unsigned registers(const char* image, const char* kernel) {
  uint64_t size;
  const char *symbols = section(image, ".symtab", &size), *found = entry(image, kernel);
  for (const char* at = attribute(image, ".nv.info", REGISTERS, NULL); found && at; at = attribute(image, ".nv.info", REGISTERS, at + 8)) {
    uint32_t words[2];
    memcpy(words, at, sizeof words);
    if (symbols + 24ull * words[0] == found) return words[1];
  }
  return 0;
}

/* Bytes of shared memory that a kernel has of its own. */
static unsigned static_shared(const char* image, const char* kernel) {
  char named[300];
  uint64_t size = 0;
  snprintf(named, sizeof named, ".nv.shared.%s", kernel);
  return section(image, named, &size) && size > RESERVED_SHARED ? (unsigned)(size - RESERVED_SHARED) : 0;
}

/* 0, or how the driver refuses. */
static int unfit(const char* image, const char* kernel, unsigned blocks, unsigned threads, unsigned shared, int wide, void** extra) {
  uint32_t most[3], cluster[3] = {1, 1, 1};
  uint16_t bytes;
  const char *told = of_kernel(image, kernel, THREADS), *together = of_kernel(image, kernel, CLUSTER);
  const char* parameters = of_kernel(image, kernel, PARAMETER_BYTES);
  if (told) memcpy(most, told, sizeof most);
  if (told && threads > most[0] * most[1] * most[2]) return 1;
  if (together) memcpy(cluster, together, sizeof cluster);
  unsigned size = cluster[0] * cluster[1] * cluster[2];
  if (blocks % size || (size > PORTABLE && !wide)) return 1;
  if (size > 2 * PORTABLE) return 912;
  if (extra && parameters) {
    memcpy(&bytes, parameters, 2);
    if (*(size_t*)extra[3] != bytes) return 1;
  }
  if (static_shared(image, kernel) + RESERVED_SHARED + shared > ALL_SHARED) return 1;
  unsigned warps = (threads + 127) / 128 * 4; /* as if they filled all quarters alike */
  unsigned each = (registers(image, kernel) * 32 + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
  return warps * each > ALL_REGISTERS ? 701 : 0;
}
