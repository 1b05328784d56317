// Declares the kernels by name. Each file defines its own kernel from `Blocks.h`.

#include <stdbool.h>

#include "CJSONText.h"

#define KERNEL(NAME)                                                                                       \
  size_t cjson_scan_text_##NAME(CJSONCarry *, const uint8_t *, size_t, uint8_t *, uint64_t *);           \
  size_t cjson_scan_lines_##NAME(CJSONCarry *, const uint8_t *, size_t, uint8_t *, uint64_t *);          \
  long cjson_walk_##NAME(CJSONWalk *, uint64_t *, long, long);                                           \
  long cjson_places_##NAME(const uint64_t *, long, uint32_t, uint32_t *);                                \
  void cjson_count_##NAME(const uint8_t *, size_t, uint64_t *, uint64_t *);                              \
  size_t cjson_hints_##NAME(const uint8_t *, size_t, size_t *, const uint8_t *, uint64_t *, size_t);

#define FINDER(NAME) \
  size_t cjson_find_##NAME(const uint8_t *, size_t, size_t, const uint8_t *, size_t, uint64_t *, size_t);

#define DEFINE_KERNEL(NAME)                                                                                \
  size_t cjson_scan_text_##NAME(CJSONCarry *c, const uint8_t *i, size_t n, uint8_t *o, uint64_t *b) {    \
    return scanBlocks(false, c, i, n, o, b);                                                               \
  }                                                                                                        \
  size_t cjson_scan_lines_##NAME(CJSONCarry *c, const uint8_t *i, size_t n, uint8_t *o, uint64_t *b) {   \
    return scanBlocks(true, c, i, n, o, b);                                                                \
  }                                                                                                        \
  long cjson_walk_##NAME(CJSONWalk *w, uint64_t *m, long b, long n) { return walkBlocks(w, m, b, n); }     \
  long cjson_places_##NAME(const uint64_t *m, long n, uint32_t base, uint32_t *p) {                        \
    return writePlaces(m, n, base, p);                                                                     \
  }                                                                                                        \
  void cjson_count_##NAME(const uint8_t *i, size_t n, uint64_t *feeds, uint64_t *continuations) {          \
    countBlocks(i, n, feeds, continuations);                                                               \
  }                                                                                                        \
  size_t cjson_hints_##NAME(                                                                               \
      const uint8_t *i, size_t n, size_t *s, const uint8_t *letters, uint64_t *f, size_t m) {              \
    return findHints(i, n, s, letters, f, m);                                                              \
  }

#define DEFINE_FINDER(NAME)                                                                                \
  size_t cjson_find_##NAME(                                                                                \
      const uint8_t *i, size_t n, size_t s, const uint8_t *name, size_t k, uint64_t *f, size_t m) {        \
    return findMember(i, n, s, name, k, f, m);                                                             \
  }

#if defined(__x86_64__)
KERNEL(sse2)
KERNEL(avx2)
KERNEL(avx512)
FINDER(sse2)
FINDER(avx2)
#elif defined(__aarch64__)
KERNEL(neon)
FINDER(neon)
#endif
