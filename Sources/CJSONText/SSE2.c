// 64 bytes in four registers, masks of two blocks in one, with only the instructions that every x86-64 machine has.

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

INLINE uint64_t bitCount(uint64_t bits) { return (uint64_t)__builtin_popcountll(bits); }

typedef uint8_t Row __attribute__((vector_size(16)));

/// Returns the mask of the bytes of a block's rows that are all ones; the others are zeros.
INLINE uint64_t bitsOf(const Row *rows) {
  uint64_t bits = 0;
  for (int i = 0; i < 4; i++) bits |= (uint64_t)(unsigned)_mm_movemask_epi8((Quarter)rows[i]) << 16 * i;
  return bits;
}

#include "Runs.h"
#include "Counted.h"

// MARK: Masks

enum { lanes = 2 };
typedef uint64_t Bits __attribute__((vector_size(16)));

INLINE unsigned tops(Bits bits) { return (unsigned)_mm_movemask_pd((__m128d)bits); }

/// Returns a lane for each of two bits, all ones if the bit is set.
INLINE Bits spread(unsigned bits) {
  static const int64_t lanesOf[4][2] __attribute__((aligned(16))) = {{0, 0}, {-1, 0}, {0, -1}, {-1, -1}};
  return (Bits)_mm_load_si128((const __m128i *)lanesOf[bits & 3]);
}

INLINE Bits toNextLane(Bits bits, Bits before) { return __builtin_shufflevector(before, bits, 1, 2); }

#include "LongSums.h"

/// Swaps the bits under a mask of one register, moved up, with the bits of another.
INLINE void swapBits(Bits *low, Bits *high, int shift, uint64_t mask) {
  Bits differing = ((*low >> shift) ^ *high) & mask;
  *high ^= differing;
  *low ^= differing << shift;
}

/// First, byte j of each word goes to register j: each round rotates the index of a byte, register and all, by one bit.
///
/// Then bit k of each byte goes to register k, by halves, quarters and eighths of a byte.
INLINE void transpose(const uint8_t *input, uint64_t *planes) {
  Bits rows[8], turned[8];
  for (int i = 0; i < 8; i++) rows[i] = (Bits)loadQuarter(input + 16 * i);
  for (int round = 0; round < 4; round++) {
    for (int i = 0; i < 4; i++) {
      turned[2 * i] = (Bits)_mm_unpacklo_epi8((Quarter)rows[i], (Quarter)rows[i + 4]);
      turned[2 * i + 1] = (Bits)_mm_unpackhi_epi8((Quarter)rows[i], (Quarter)rows[i + 4]);
    }
    __builtin_memcpy(rows, turned, sizeof rows);
  }
  for (int i = 0; i < 4; i++) swapBits(&rows[i], &rows[i + 4], 4, 0x0F0F0F0F0F0F0F0F);
  for (int i = 0; i < 8; i += i & 1 ? 3 : 1) swapBits(&rows[i], &rows[i + 2], 2, 0x3333333333333333);
  for (int i = 0; i < 8; i += 2) swapBits(&rows[i], &rows[i + 1], 1, 0x5555555555555555);
  for (int bit = 0; bit < 8; bit++) __builtin_memcpy(planes + bit * CJSONWindow, &rows[bit], sizeof rows[bit]);
}

#include "Blocks.h"
#include "Find.h"
#include "Hints.h"
DEFINE_KERNEL(sse2)
DEFINE_FINDER(sse2)
#endif
