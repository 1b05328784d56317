// 64 bytes in two registers. For AVX2 (2013 on).

#if defined(__x86_64__)
#include <immintrin.h>

#include "Kernels.h"

#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt"))), apply_to = function)
#define INLINE static inline __attribute__((always_inline))

typedef __m256i Half;
INLINE Half loadHalf(const uint8_t *input) { return _mm256_loadu_si256((const Half *)input); }
INLINE void storeHalf(uint8_t *output, Half bytes) { _mm256_storeu_si256((Half *)output, bytes); }
INLINE uint64_t bitCount(uint64_t bits) { return (uint64_t)_mm_popcnt_u64(bits); }

typedef uint8_t Row __attribute__((vector_size(32)));

/// Returns the mask of the bytes of a block's rows that are all ones; the others are zeros.
INLINE uint64_t bitsOf(const Row *rows) {
  uint64_t low = (unsigned)_mm256_movemask_epi8((Half)rows[0]), high = (unsigned)_mm256_movemask_epi8((Half)rows[1]);
  return low | high << 32;
}

#define OWN_HINTS
INLINE uint64_t hintsIn(const uint8_t *input, const uint8_t *letters) {
  Half first = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)letters));
  Half second = _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(letters + 16)));
  Row rows[2];
  for (int i = 0; i < 2; i++) {
    const uint8_t *bytes = input + 32 * i;
    Row start = (Row)loadHalf(bytes);
    Row pairs = (Row)_mm256_and_si256(
        _mm256_shuffle_epi8(first, loadHalf(bytes + 1)), _mm256_shuffle_epi8(second, loadHalf(bytes + 2)));
    rows[i] = (Row)((start == '"') | (start == '@')) & (Row)(pairs != 0);
  }
  return bitsOf(rows);
}

/// Indices of the kept bytes for each mask of 8 bytes.
///
/// A load reads 16 indices, of which 8 count.
static uint8_t places[257][8];

__attribute__((constructor)) static void fillPlaces(void) {
  for (int mask = 0; mask < 256; mask++) {
    uint8_t *next = places[mask];
    for (uint8_t place = 0; place < 8; place++) {
      if (mask >> place & 1) *next++ = place;
    }
  }
}

/// Moves the kept bytes of each 8 bytes to the front, and stores them at an offset that is counted afresh.
///
/// So no step waits for the step before. Compact text is copied at once.
INLINE uint64_t compact(const uint8_t *input, uint64_t kept, uint8_t *output) {
  if (!~kept) {
    storeHalf(output, loadHalf(input));
    storeHalf(output + 32, loadHalf(input + 32));
    return 64;
  }
  for (int shift = 0; shift < 64; shift += 8) {
    unsigned mask = kept >> shift & 0xFF;
    __m128i bytes = _mm_loadl_epi64((const __m128i *)(input + shift));
    __m128i moved = _mm_shuffle_epi8(bytes, _mm_loadu_si128((const __m128i *)places[mask]));
    uint64_t before = shift ? kept << (64 - shift) : 0;
    _mm_storel_epi64((__m128i *)(output + bitCount(before)), moved);
  }
  return bitCount(kept);
}

#include "Counted.h"

// MARK: Masks

enum { lanes = 4 };
typedef uint64_t Bits __attribute__((vector_size(32)));

INLINE unsigned tops(Bits bits) { return (unsigned)_mm256_movemask_pd((__m256d)bits); }

/// Returns a lane for each of four bits, all ones if the bit is set.
INLINE Bits spread(unsigned bits) {
  static const int64_t lanesOf[16][4] __attribute__((aligned(32))) = {
    {0, 0, 0, 0},  {-1, 0, 0, 0},  {0, -1, 0, 0},  {-1, -1, 0, 0},
    {0, 0, -1, 0}, {-1, 0, -1, 0}, {0, -1, -1, 0}, {-1, -1, -1, 0},
    {0, 0, 0, -1}, {-1, 0, 0, -1}, {0, -1, 0, -1}, {-1, -1, 0, -1},
    {0, 0, -1, -1}, {-1, 0, -1, -1}, {0, -1, -1, -1}, {-1, -1, -1, -1},
  };
  return (Bits)_mm256_load_si256((const __m256i *)lanesOf[bits & 15]);
}

INLINE Bits toNextLane(Bits bits, Bits before) { return __builtin_shufflevector(before, bits, 3, 4, 5, 6); }

#include "LongSums.h"

/// Makes the mask of all bytes' highest bits, then of the next bits.
INLINE void transpose(const uint8_t *input, uint64_t *planes) {
  for (int half = 0; half < 2 * lanes; half++) {
    Half bytes = loadHalf(input + 32 * half);
    for (int bit = 7; bit >= 0; bit--) {
      uint32_t mask = (uint32_t)_mm256_movemask_epi8(bytes);
      __builtin_memcpy((uint32_t *)(planes + bit * CJSONWindow) + half, &mask, sizeof mask);
      bytes = _mm256_add_epi8(bytes, bytes);
    }
  }
}

#include "Blocks.h"
#include "Find.h"
#include "Hints.h"
DEFINE_KERNEL(avx2)
DEFINE_FINDER(avx2)
#pragma clang attribute pop
#endif
