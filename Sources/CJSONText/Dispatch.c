// Chooses a kernel that the machine can run, and calls it.

#include <string.h>

#include "Kernels.h"

#define INLINE static inline __attribute__((always_inline))
#include "Hints.h"

#if defined(__x86_64__)

int cjson_supports(int kernel) {
  __builtin_cpu_init();
  int hasBits = __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                __builtin_cpu_supports("pclmul");
  switch (kernel) {
    case CJSONPortable:
    case CJSONSSE2: return 1;
    case CJSONAVX2: return hasBits && __builtin_cpu_supports("avx2");
    case CJSONAVX512:
      return hasBits && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
             __builtin_cpu_supports("gfni");
    default: return 0;
  }
}

int cjson_best(void) {
  return cjson_supports(CJSONAVX512) ? CJSONAVX512 : cjson_supports(CJSONAVX2) ? CJSONAVX2 : CJSONSSE2;
}

#define DISPATCH(FUNCTION, ...)                              \
  switch (kernel) {                                          \
    case CJSONSSE2: return FUNCTION##_sse2(__VA_ARGS__);     \
    case CJSONAVX2: return FUNCTION##_avx2(__VA_ARGS__);     \
    case CJSONAVX512: return FUNCTION##_avx512(__VA_ARGS__); \
  }

#elif defined(__aarch64__)

int cjson_supports(int kernel) { return kernel == CJSONPortable || kernel == CJSONNEON; }
int cjson_best(void) { return CJSONNEON; }

#define DISPATCH(FUNCTION, ...) \
  if (kernel == CJSONNEON) return FUNCTION##_neon(__VA_ARGS__);

#else

int cjson_supports(int kernel) { return kernel == CJSONPortable; }
int cjson_best(void) { return CJSONPortable; }

#define DISPATCH(FUNCTION, ...)

#endif

size_t cjson_scan(
    int kernel, int isLines, CJSONCarry *carry, const uint8_t *input, size_t count, uint8_t *output,
    uint64_t *masks) {
  if (isLines) {
    DISPATCH(cjson_scan_lines, carry, input, count, output, masks)
  } else {
    DISPATCH(cjson_scan_text, carry, input, count, output, masks)
  }
  return 0;
}

long cjson_walk(int kernel, CJSONWalk *walk, uint64_t *masks, long block, long count) {
  DISPATCH(cjson_walk, walk, masks, block, count)
  return block;
}

long cjson_places(int kernel, const uint64_t *masks, long count, uint32_t base, uint32_t *places) {
  DISPATCH(cjson_places, masks, count, base, places)
  return 0;
}

void cjson_count(int kernel, const uint8_t *input, size_t count, uint64_t *lineFeeds, uint64_t *continuations) {
  DISPATCH(cjson_count, input, count, lineFeeds, continuations)
}

size_t cjson_hints(
    int kernel, const uint8_t *text, size_t count, size_t *start, const uint8_t *letters, uint64_t *found,
    size_t most) {
  DISPATCH(cjson_hints, text, count, start, letters, found, most)
  return findHints(text, count, start, letters, found, most);
}

size_t cjson_find(
    int kernel, const uint8_t *text, size_t count, size_t start, const uint8_t *name, size_t length, uint64_t *found,
    size_t most) {
#if defined(__x86_64__)
  // A load of 64 bytes at any place crosses a cache line. Two of 32 bytes are faster.
  if (kernel == CJSONSSE2) return cjson_find_sse2(text, count, start, name, length, found, most);
  if (kernel != CJSONPortable) return cjson_find_avx2(text, count, start, name, length, found, most);
#else
  DISPATCH(cjson_find, text, count, start, name, length, found, most)
#endif
  return 0;
}
