// 64 bytes in two registers. For AVX2 (2013 on).

#if defined(__x86_64__)
#include <immintrin.h>

#include "Kernels.h"
#include "Tables.h"
#include "UTF8Tables.h"

#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt"))), apply_to = function)
#define INLINE static inline __attribute__((always_inline))

typedef __m256i Half;
typedef struct {
  Half low, high;
} Bytes;

INLINE Half loadHalf(const uint8_t *input) { return _mm256_loadu_si256((const Half *)input); }
INLINE Bytes load(const uint8_t *input) { return (Bytes){loadHalf(input), loadHalf(input + 32)}; }
INLINE Half all(uint8_t byte) { return _mm256_set1_epi8((char)byte); }

/// The highest bit of each byte.
INLINE uint64_t mask(Half low, Half high) {
  return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high) << 32;
}

INLINE uint64_t same(Bytes bytes, Half low, Half high) {
  return mask(_mm256_cmpeq_epi8(bytes.low, low), _mm256_cmpeq_epi8(bytes.high, high));
}

INLINE uint64_t equals(Bytes bytes, uint8_t byte) { return same(bytes, all(byte), all(byte)); }

INLINE uint64_t equalsFolded(Bytes bytes, uint8_t byte) {
  Bytes folded = {_mm256_or_si256(bytes.low, all(0x20)), _mm256_or_si256(bytes.high, all(0x20))};
  return equals(folded, byte);
}

INLINE uint64_t below(Bytes bytes, uint8_t limit) {
  Half most = all(limit - 1);
  return same(bytes, _mm256_min_epu8(bytes.low, most), _mm256_min_epu8(bytes.high, most));
}

INLINE uint64_t isHigh(Bytes bytes) { return mask(bytes.low, bytes.high); }
INLINE uint64_t bit5(Bytes bytes) { return mask(_mm256_slli_epi16(bytes.low, 2), _mm256_slli_epi16(bytes.high, 2)); }

INLINE uint64_t digits(Bytes bytes) {
  Bytes values = {_mm256_sub_epi8(bytes.low, all('0')), _mm256_sub_epi8(bytes.high, all('0'))};
  return below(values, 10);
}

/// 16 bytes by the lower half of each byte; 0 for bytes beyond ASCII.
INLINE Half look(Half bytes, const uint8_t *table) {
  return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)table)), bytes);
}

INLINE uint64_t space(Bytes bytes) {
  static const uint8_t table[16] = {[0] = ' ', [9] = '\t', [10] = '\n', [13] = '\r'};
  return same(bytes, look(bytes.low, table), look(bytes.high, table));
}

INLINE uint64_t bitCount(uint64_t bits) { return (uint64_t)_mm_popcnt_u64(bits); }

INLINE Half upperHalves(Half bytes) { return _mm256_and_si256(_mm256_srli_epi16(bytes, 4), all(0x0F)); }

INLINE Half misses(Half bytes, const uint8_t *low, const uint8_t *high) {
  Half found = _mm256_and_si256(look(bytes, low), look(upperHalves(bytes), high));
  return _mm256_cmpeq_epi8(found, _mm256_setzero_si256());
}

INLINE uint64_t isIn(Bytes bytes, const uint8_t *low, const uint8_t *high) {
  return ~mask(misses(bytes.low, low, high), misses(bytes.high, low, high));
}

INLINE uint64_t escapeLetters(Bytes bytes) { return isIn(bytes, escapeLow, escapeHigh); }
INLINE uint64_t hexDigits(Bytes bytes) { return isIn(bytes, hexLow, hexHigh); }

INLINE Half wrongUTF8Half(const uint8_t *input) {
  Half bytes = loadHalf(input), before = loadHalf(input - 1);
  Half pairs = _mm256_and_si256(
      _mm256_and_si256(look(upperHalves(before), firstHigh),
                       look(_mm256_and_si256(before, all(0x0F)), firstLow)),
      look(upperHalves(bytes), secondHigh));
  Half third = _mm256_subs_epu8(loadHalf(input - 2), all(0xE0 - 0x80));
  Half fourth = _mm256_subs_epu8(loadHalf(input - 3), all(0xF0 - 0x80));
  return _mm256_xor_si256(_mm256_and_si256(_mm256_or_si256(third, fourth), all(0x80)), pairs);
}

INLINE uint64_t wrongUTF8(const uint8_t *input) {
  Half wrong = _mm256_or_si256(wrongUTF8Half(input), wrongUTF8Half(input + 32));
  return !_mm256_testz_si256(wrong, wrong);
}

/// For each mask of 8 bytes the places of those that stay.
static uint8_t places[256][8];

__attribute__((constructor)) static void fillPlaces(void) {
  for (int mask = 0; mask < 256; mask++) {
    uint8_t *next = places[mask];
    for (uint8_t place = 0; place < 8; place++) {
      if (mask >> place & 1) *next++ = place;
    }
  }
}

/// Copies 8 bytes at a time, those that stay moved to the front.
INLINE uint64_t compact(const uint8_t *input, uint64_t kept, uint8_t *output) {
  if (kept == ~(uint64_t)0) {
    _mm256_storeu_si256((Half *)output, loadHalf(input));
    _mm256_storeu_si256((Half *)(output + 32), loadHalf(input + 32));
    return 64;
  }
  uint8_t *place = output;
  for (int shift = 0; shift < 64; shift += 8) {
    unsigned mask = kept >> shift & 0xFF;
    __m128i bytes = _mm_loadl_epi64((const __m128i *)(input + shift));
    __m128i moved = _mm_shuffle_epi8(bytes, _mm_loadl_epi64((const __m128i *)places[mask]));
    _mm_storel_epi64((__m128i *)place, moved);
    place += bitCount(mask);
  }
  return (uint64_t)(place - output);
}

// MARK: Masks

enum { lanes = 4 };
typedef uint64_t Bits __attribute__((vector_size(32)));

/// The highest bit of each lane.
INLINE unsigned tops(Bits bits) { return (unsigned)_mm256_movemask_pd((__m256d)bits); }

/// One bit a lane that is not zero.
INLINE uint64_t lanesWith(Bits bits) {
  return ~tops((Bits)_mm256_cmpeq_epi64((__m256i)bits, _mm256_setzero_si256())) & 0xF;
}

/// A lane of ones for each bit.
INLINE Bits spread(unsigned bits) {
  const Bits places = {1, 2, 4, 8};
  return (Bits)_mm256_cmpeq_epi64((__m256i)(((Bits){0} + bits) & places), (__m256i)places);
}

/// For each bit whether an odd number of bits is set up to it: lane by lane, then by the lanes before.
INLINE Bits prefixXor(Bits bits, uint64_t *carry) {
  for (int step = 1; step < 64; step *= 2) bits ^= bits << step;
  unsigned odd = tops(bits);
  odd ^= odd << 1;
  odd ^= odd << 2;
  odd = odd << 1 ^ (0 - (unsigned)*carry);
  *carry = odd >> 4 & 1;
  return bits ^ spread(odd);
}

/// The bits, moved by one place.
INLINE Bits next(Bits bits, uint64_t *carry) {
  unsigned over = tops(bits) << 1 | (unsigned)*carry;
  *carry = over >> 4;
  return bits << 1 | spread(over) >> 63;
}

/// The places after the runs that begin at `starts`, and the starts that begin none: a sum of 256 bits. A lane's carry
/// goes through lanes that are full, by a sum of one bit a lane.
INLINE Bits runEnds(Bits starts, Bits runs, uint64_t *carry) {
  Bits sum = starts + runs;
  unsigned over = tops((starts & runs) | ((starts | runs) & ~sum)) << 1 | (unsigned)*carry;
  unsigned full = tops((Bits)_mm256_cmpeq_epi64((__m256i)sum, all(0xFF)));
  over = (over + full) ^ full;
  *carry = over >> 4 & 1;
  return (sum - spread(over)) & ~runs;
}

#include "Blocks.h"
DEFINE_KERNEL(avx2)
#pragma clang attribute pop
#endif
