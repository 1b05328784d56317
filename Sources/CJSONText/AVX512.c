// 64 bytes in one register. `gf2p8affineqb` converts them into masks of their bits; `vpcompressb` drops white space.
// For AVX-512 with VBMI2 and GFNI (2019 on).

#if defined(__x86_64__)
#include <immintrin.h>

#include "Kernels.h"

#pragma clang attribute push(                                                                        \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx512vbmi,avx512vbmi2,gfni,bmi,bmi2,popcnt"))), \
    apply_to = function)
#define INLINE static inline __attribute__((always_inline))

typedef __m512i Bytes;

INLINE Bytes load(const uint8_t *input) { return _mm512_loadu_si512(input); }
INLINE uint64_t bitCount(uint64_t bits) { return (uint64_t)_mm_popcnt_u64(bits); }

INLINE uint64_t compact(const uint8_t *input, uint64_t kept, uint8_t *output) {
  _mm512_storeu_si512(output, _mm512_maskz_compress_epi8(kept, load(input)));
  return bitCount(kept);
}

/// Removes the bits of dropped bytes, then packs the numbers 0 to 63 of the token bits.
///
/// May write 15 offsets after the last one.
INLINE uint32_t *putPlaces(uint64_t tokens, uint64_t kept, uint32_t base, uint32_t *places) {
  static const uint8_t numbers[64] __attribute__((aligned(64))) = {
    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
    16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
    32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
    48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
  };
  Bytes packed = _mm512_maskz_compress_epi8(_pext_u64(tokens, kept), load(numbers));
  uint32_t *end = places + bitCount(tokens);
  for (; places < end; places += 16) {
    Bytes words = _mm512_cvtepu8_epi32(_mm512_castsi512_si128(packed));
    _mm512_storeu_si512(places, _mm512_add_epi32(words, _mm512_set1_epi32((int)base)));
    packed = _mm512_alignr_epi64(_mm512_setzero_si512(), packed, 2);
  }
  return end;
}

#define OWN_HINTS
INLINE uint64_t hintsIn(const uint8_t *input, const uint8_t *letters) {
  Bytes start = load(input);
  Bytes first = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)letters));
  Bytes second = _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(letters + 16)));
  uint64_t marks = _mm512_cmpeq_epi8_mask(start, _mm512_set1_epi8('"'));
  marks |= _mm512_cmpeq_epi8_mask(start, _mm512_set1_epi8('@'));
  return _mm512_mask_test_epi8_mask(
      marks, _mm512_shuffle_epi8(first, load(input + 1)), _mm512_shuffle_epi8(second, load(input + 2)));
}

// MARK: Masks

enum { lanes = 8 };
typedef uint64_t Bits __attribute__((vector_size(64)));

INLINE unsigned tops(Bits bits) { return _mm512_movepi64_mask((__m512i)bits); }

/// Returns a lane for each of eight bits, all ones if the bit is set.
INLINE Bits spread(unsigned bits) { return (Bits)_mm512_movm_epi64((__mmask8)bits); }

INLINE Bits toNextLane(Bits bits, Bits before) {
  return __builtin_shufflevector(before, bits, 7, 8, 9, 10, 11, 12, 13, 14);
}

#include "LongSums.h"

/// Returns the eight masks of a block.
///
/// In each word, bit j of byte i becomes bit i of byte j; then the bytes of each mask are brought together.
INLINE Bits planesOf(Bytes block) {
  const Bytes flip = _mm512_broadcast_i32x4(_mm_set_epi8(8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7));
  const Bits first = {0x3830282018100800, 0x3931292119110901, 0x3A322A221A120A02, 0x3B332B231B130B03,
                      0x3C342C241C140C04, 0x3D352D251D150D05, 0x3E362E261E160E06, 0x3F372F271F170F07};
  const Bytes singleBits = _mm512_set1_epi64((long long)0x8040201008040201);
  Bytes words = _mm512_gf2p8affine_epi64_epi8(singleBits, _mm512_shuffle_epi8(block, flip), 0);
  return (Bits)_mm512_permutexvar_epi8((Bytes)first, words);
}

/// Transposes eight by eight words: rows of a block's masks become rows of a mask's blocks.
///
/// It swaps halves, quarters and eighths.
INLINE void transpose(const uint8_t *input, uint64_t *planes) {
#define PICK(TO, FROM, OTHER, ...) TO = __builtin_shufflevector(FROM, OTHER, __VA_ARGS__)
  Bits rows[8], pairs[8];
  for (int lane = 0; lane < lanes; lane++) rows[lane] = planesOf(load(input + 64 * lane));
  for (int i = 0; i < 8; i += 2) {
    PICK(pairs[i], rows[i], rows[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
    PICK(pairs[i + 1], rows[i], rows[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
  }
  for (int i = 0; i < 8; i += i & 1 ? 3 : 1) {
    PICK(rows[i], pairs[i], pairs[i + 2], 0, 1, 8, 9, 4, 5, 12, 13);
    PICK(rows[i + 2], pairs[i], pairs[i + 2], 2, 3, 10, 11, 6, 7, 14, 15);
  }
  for (int i = 0; i < 4; i++) {
    Bits PICK(low, rows[i], rows[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    Bits PICK(high, rows[i], rows[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    _mm512_storeu_si512(planes + i * CJSONWindow, (Bytes)low);
    _mm512_storeu_si512(planes + (i + 4) * CJSONWindow, (Bytes)high);
  }
#undef PICK
}

#include "Blocks.h"
#include "Hints.h"
DEFINE_KERNEL(avx512)
#pragma clang attribute pop
#endif
