// 64 bytes in one register, compared into masks; `vpcompressb` drops white space. For AVX-512 with VBMI2 (2019 on).

#if defined(__x86_64__)
#include <immintrin.h>

#include "Kernels.h"
#include "Tables.h"
#include "UTF8Tables.h"

#pragma clang attribute push(                                                                        \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi2,bmi,bmi2,popcnt"))), \
    apply_to = function)
#define INLINE static inline __attribute__((always_inline))

typedef __m512i Bytes;

INLINE Bytes load(const uint8_t *input) { return _mm512_loadu_si512(input); }
INLINE Bytes all(uint8_t byte) { return _mm512_set1_epi8((char)byte); }
INLINE uint64_t equals(Bytes bytes, uint8_t byte) { return _mm512_cmpeq_epi8_mask(bytes, all(byte)); }
INLINE uint64_t equalsFolded(Bytes bytes, uint8_t byte) { return equals(_mm512_or_si512(bytes, all(0x20)), byte); }
INLINE uint64_t below(Bytes bytes, uint8_t limit) { return _mm512_cmplt_epu8_mask(bytes, all(limit)); }
INLINE uint64_t isHigh(Bytes bytes) { return _mm512_movepi8_mask(bytes); }
INLINE uint64_t bit5(Bytes bytes) { return _mm512_test_epi8_mask(bytes, all(0x20)); }
INLINE uint64_t digits(Bytes bytes) { return below(_mm512_sub_epi8(bytes, all('0')), 10); }

/// 16 bytes by the lower half of each byte; 0 for bytes beyond ASCII.
INLINE Bytes look(Bytes bytes, const uint8_t *table) {
  return _mm512_shuffle_epi8(_mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)table)), bytes);
}

INLINE uint64_t space(Bytes bytes) {
  static const uint8_t table[16] = {[0] = ' ', [9] = '\t', [10] = '\n', [13] = '\r'};
  return _mm512_cmpeq_epi8_mask(bytes, look(bytes, table));
}

INLINE uint64_t bitCount(uint64_t bits) { return (uint64_t)_mm_popcnt_u64(bits); }

INLINE Bytes upperHalves(Bytes bytes) { return _mm512_and_si512(_mm512_srli_epi16(bytes, 4), all(0x0F)); }

INLINE uint64_t isIn(Bytes bytes, const uint8_t *low, const uint8_t *high) {
  return _mm512_test_epi8_mask(look(bytes, low), look(upperHalves(bytes), high));
}

INLINE uint64_t escapeLetters(Bytes bytes) { return isIn(bytes, escapeLow, escapeHigh); }
INLINE uint64_t hexDigits(Bytes bytes) { return isIn(bytes, hexLow, hexHigh); }

INLINE uint64_t wrongUTF8(const uint8_t *input) {
  Bytes bytes = load(input), before = load(input - 1);
  Bytes pairs = _mm512_and_si512(
      _mm512_and_si512(look(upperHalves(before), firstHigh),
                       look(_mm512_and_si512(before, all(0x0F)), firstLow)),
      look(upperHalves(bytes), secondHigh));
  Bytes third = _mm512_subs_epu8(load(input - 2), all(0xE0 - 0x80));
  Bytes fourth = _mm512_subs_epu8(load(input - 3), all(0xF0 - 0x80));
  Bytes wanted = _mm512_and_si512(_mm512_or_si512(third, fourth), all(0x80));
  return _mm512_cmpneq_epi8_mask(wanted, pairs);
}

INLINE uint64_t compact(const uint8_t *input, uint64_t kept, uint8_t *output) {
  _mm512_storeu_si512(output, _mm512_maskz_compress_epi8(kept, load(input)));
  return bitCount(kept);
}

// MARK: Masks

enum { lanes = 8 };
typedef uint64_t Bits __attribute__((vector_size(64)));

/// One bit a lane that is not zero.
INLINE uint64_t lanesWith(Bits bits) { return _mm512_test_epi64_mask((__m512i)bits, (__m512i)bits); }

/// The highest bit of each lane.
INLINE unsigned tops(Bits bits) { return _mm512_movepi64_mask((__m512i)bits); }

/// For each bit whether an odd number of bits is set up to it: lane by lane, then by the lanes before.
INLINE Bits prefixXor(Bits bits, uint64_t *carry) {
  for (int step = 1; step < 64; step *= 2) bits ^= bits << step;
  unsigned odd = tops(bits);
  odd ^= odd << 1;
  odd ^= odd << 2;
  odd ^= odd << 4;
  odd = odd << 1 ^ (0 - (unsigned)*carry);
  *carry = odd >> 8 & 1;
  return (Bits)_mm512_mask_xor_epi64((__m512i)bits, (__mmask8)odd, (__m512i)bits, all(0xFF));
}

/// The bits, moved by one place.
INLINE Bits next(Bits bits, uint64_t *carry) {
  unsigned over = tops(bits) << 1 | (unsigned)*carry;
  *carry = over >> 8;
  Bits moved = bits << 1;
  return (Bits)_mm512_mask_or_epi64((__m512i)moved, (__mmask8)over, (__m512i)moved, _mm512_set1_epi64(1));
}

/// The places after the runs that begin at `starts`, and the starts that begin none: a sum of 512 bits. A lane's carry
/// goes through lanes that are full, by a sum of one bit a lane.
INLINE Bits runEnds(Bits starts, Bits runs, uint64_t *carry) {
  Bits sum = starts + runs;
  unsigned over = _mm512_cmplt_epu64_mask((__m512i)sum, (__m512i)runs) << 1 | (unsigned)*carry;
  unsigned full = _mm512_cmpeq_epi64_mask((__m512i)sum, all(0xFF));
  over = (over + full) ^ full;
  *carry = over >> 8 & 1;
  sum = (Bits)_mm512_mask_sub_epi64((__m512i)sum, (__mmask8)over, (__m512i)sum, all(0xFF));
  return sum & ~runs;
}

#include "Blocks.h"
DEFINE_KERNEL(avx512)
#pragma clang attribute pop
#endif
