// 64 bytes in four registers, with nothing but what every x86-64 machine has.

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

INLINE uint64_t equalsFolded(Bytes bytes, uint8_t byte) {
  return MASK(bytes, _mm_cmpeq_epi8(_mm_or_si128(part, all(0x20)), all(byte)));
}

INLINE uint64_t below(Bytes bytes, uint8_t limit) {
  return MASK(bytes, _mm_cmpeq_epi8(_mm_min_epu8(part, all(limit - 1)), part));
}

INLINE uint64_t isHigh(Bytes bytes) { return MASK(bytes, part); }
INLINE uint64_t bit5(Bytes bytes) { return MASK(bytes, _mm_slli_epi16(part, 2)); }

INLINE Quarter areDigits(Quarter part) {
  Quarter values = _mm_sub_epi8(part, all('0'));
  return _mm_cmpeq_epi8(_mm_min_epu8(values, all(9)), values);
}

INLINE uint64_t digits(Bytes bytes) { return MASK(bytes, areDigits(part)); }

INLINE Quarter areSpace(Quarter part) {
  Quarter plain = _mm_cmpeq_epi8(part, all(' ')), tab = _mm_cmpeq_epi8(part, all('\t'));
  return _mm_or_si128(
      _mm_or_si128(plain, tab), _mm_or_si128(_mm_cmpeq_epi8(part, all('\n')), _mm_cmpeq_epi8(part, all('\r'))));
}

INLINE uint64_t space(Bytes bytes) { return MASK(bytes, areSpace(part)); }

INLINE uint64_t escapeLetters(Bytes bytes) {
  return equals(bytes, '"') | equals(bytes, '\\') | equals(bytes, '/') | equals(bytes, 'b') | equals(bytes, 'f') |
         equals(bytes, 'n') | equals(bytes, 'r') | equals(bytes, 't') | equals(bytes, 'u');
}

INLINE uint64_t hexDigits(Bytes bytes) {
  uint64_t found = digits(bytes);
  for (uint8_t letter = 'a'; letter <= 'f'; letter++) found |= equalsFolded(bytes, letter);
  return found;
}

INLINE uint64_t bitCount(uint64_t bits) { return (uint64_t)__builtin_popcountll(bits); }

INLINE Quarter atLeast(Quarter part, uint8_t least) { return _mm_cmpeq_epi8(_mm_max_epu8(part, all(least)), part); }

/// Unicode 16, table 3-7, without a table: where a continuation must stand, and which second bytes are not allowed.
INLINE Quarter wrongUTF8Quarter(const uint8_t *input) {
  Quarter part = loadQuarter(input), before = loadQuarter(input - 1);
  Quarter wanted = _mm_or_si128(
      atLeast(before, 0xC0),
      _mm_or_si128(atLeast(loadQuarter(input - 2), 0xE0), atLeast(loadQuarter(input - 3), 0xF0)));
  Quarter found = _mm_cmpgt_epi8(all(0xC0), part);
  Quarter early = _mm_cmpgt_epi8(all(0xA0), part), first = _mm_cmpgt_epi8(all(0x90), part);
  Quarter overlong = _mm_or_si128(
      _mm_and_si128(_mm_cmpeq_epi8(before, all(0xE0)), early), _mm_and_si128(_mm_cmpeq_epi8(before, all(0xF0)), first));
  Quarter beyond = _mm_or_si128(
      _mm_andnot_si128(early, _mm_cmpeq_epi8(before, all(0xED))),
      _mm_andnot_si128(first, _mm_cmpeq_epi8(before, all(0xF4))));
  Quarter never = _mm_or_si128(_mm_cmpeq_epi8(_mm_and_si128(part, all(0xFE)), all(0xC0)), atLeast(part, 0xF5));
  return _mm_or_si128(_mm_or_si128(_mm_xor_si128(wanted, found), never), _mm_or_si128(overlong, beyond));
}

INLINE uint64_t wrongUTF8(const uint8_t *input) {
  Quarter wrong = wrongUTF8Quarter(input);
  for (int i = 16; i < 64; i += 16) wrong = _mm_or_si128(wrong, wrongUTF8Quarter(input + i));
  return (uint64_t)_mm_movemask_epi8(wrong);
}

enum { stride = 16 };

INLINE void copyStride(const uint8_t *input, uint8_t *output) {
  _mm_storeu_si128((Quarter *)output, loadQuarter(input));
}

#include "Runs.h"

#include "OneMask.h"

#include "Blocks.h"
DEFINE_KERNEL(sse2)
#endif
