// 64 bytes in four registers, masks of two blocks in one, with nothing but what every x86-64 machine has.

#if defined(__x86_64__)
#include <emmintrin.h>

#include "Kernels.h"

#define INLINE static inline __attribute__((always_inline))

typedef __m128i Quarter;
typedef struct {
  Quarter part[4];
} Bytes;

INLINE Quarter loadQuarter(const uint8_t *input) { return _mm_loadu_si128((const Quarter *)input); }

INLINE Bytes load(const uint8_t *input) {
  return (Bytes){{loadQuarter(input), loadQuarter(input + 16), loadQuarter(input + 32), loadQuarter(input + 48)}};
}

INLINE Quarter all(uint8_t byte) { return _mm_set1_epi8((char)byte); }

/// The highest bit of each byte.
INLINE uint64_t mask(Quarter a, Quarter b, Quarter c, Quarter d) {
  uint32_t low = (uint32_t)_mm_movemask_epi8(a) | (uint32_t)_mm_movemask_epi8(b) << 16;
  uint32_t high = (uint32_t)_mm_movemask_epi8(c) | (uint32_t)_mm_movemask_epi8(d) << 16;
  return low | (uint64_t)high << 32;
}

/// The highest bit of what an expression makes of each part of a block.
#define MASK(BYTES, OF_PART)                                                                        \
  ({                                                                                                \
    Quarter made[4];                                                                                \
    for (int i = 0; i < 4; i++) { Quarter part = (BYTES).part[i]; made[i] = (OF_PART); }            \
    mask(made[0], made[1], made[2], made[3]);                                                       \
  })

INLINE uint64_t equals(Bytes bytes, uint8_t byte) { return MASK(bytes, _mm_cmpeq_epi8(part, all(byte))); }

INLINE uint64_t below(Bytes bytes, uint8_t limit) {
  return MASK(bytes, _mm_cmpeq_epi8(_mm_min_epu8(part, all(limit - 1)), part));
}

INLINE uint64_t isHigh(Bytes bytes) { return MASK(bytes, part); }
INLINE uint64_t bitCount(uint64_t bits) { return (uint64_t)__builtin_popcountll(bits); }

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

#include "LongSums.h"

/// The masks of the highest bits of all bytes, and then of the next ones.
INLINE void transpose(const uint8_t *input, uint64_t *planes) {
  for (int quarter = 0; quarter < 4 * lanes; quarter++) {
    Quarter bytes = loadQuarter(input + 16 * quarter);
    for (int bit = 7; bit >= 0; bit--) {
      uint16_t mask = (uint16_t)_mm_movemask_epi8(bytes);
      __builtin_memcpy((uint16_t *)(planes + bit * planeLength) + quarter, &mask, sizeof mask);
      bytes = _mm_add_epi8(bytes, bytes);
    }
  }
}

#include "Blocks.h"
DEFINE_KERNEL(sse2)
#endif
