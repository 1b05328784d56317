// 64 bytes in four registers, masks of two blocks in one, with nothing but what every x86-64 machine has.

#if defined(__x86_64__)
#include <emmintrin.h>

#include "Kernels.h"

#define INLINE static inline __attribute__((always_inline))

typedef __m128i Quarter;
INLINE Quarter loadQuarter(const uint8_t *input) { return _mm_loadu_si128((const Quarter *)input); }

enum { stride = 16 };

INLINE void copyStride(const uint8_t *input, uint8_t *output) {
  _mm_storeu_si128((Quarter *)output, loadQuarter(input));
}

#include "Runs.h"

// MARK: Masks

enum { lanes = 2 };
typedef uint64_t Bits __attribute__((vector_size(16)));

INLINE unsigned tops(Bits bits) { return (unsigned)_mm_movemask_pd((__m128d)bits); }

/// A lane of ones for each of two bits.
INLINE Bits spread(unsigned bits) {
  static const int64_t lanesOf[4][2] __attribute__((aligned(16))) = {{0, 0}, {-1, 0}, {0, -1}, {-1, -1}};
  return (Bits)_mm_load_si128((const __m128i *)lanesOf[bits & 3]);
}

INLINE Bits toNextLane(Bits bits, Bits before) { return __builtin_shufflevector(before, bits, 1, 2); }

#include "LongSums.h"

/// The masks of the highest bits of all bytes, and then of the next ones.
INLINE void transpose(const uint8_t *input, uint64_t *planes) {
  for (int quarter = 0; quarter < 4 * lanes; quarter++) {
    Quarter bytes = loadQuarter(input + 16 * quarter);
    for (int bit = 7; bit >= 0; bit--) {
      uint16_t mask = (uint16_t)_mm_movemask_epi8(bytes);
      __builtin_memcpy((uint16_t *)(planes + bit * CJSONWindow) + quarter, &mask, sizeof mask);
      bytes = _mm_add_epi8(bytes, bytes);
    }
  }
}

#include "Blocks.h"
DEFINE_KERNEL(sse2)
#endif
