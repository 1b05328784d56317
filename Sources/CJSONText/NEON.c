// 64 bytes in four registers of every 64-bit ARM, masks of two blocks in one. Compiled for aarch64, but never run,
// since no such machine was available.

#if defined(__aarch64__)
#include <arm_neon.h>

#include "Kernels.h"

#define INLINE static inline __attribute__((always_inline))

typedef uint8x16_t Quarter;
typedef struct {
  Quarter part[4];
} Bytes;

INLINE Bytes load(const uint8_t *input) {
  return (Bytes){{vld1q_u8(input), vld1q_u8(input + 16), vld1q_u8(input + 32), vld1q_u8(input + 48)}};
}

/// Returns one bit for each lane of ones: each lane keeps one bit, and neighbours are added until 64 bits are left.
INLINE uint64_t mask(Quarter a, Quarter b, Quarter c, Quarter d) {
  const Quarter bits = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
  Quarter low = vpaddq_u8(vandq_u8(a, bits), vandq_u8(b, bits));
  Quarter high = vpaddq_u8(vandq_u8(c, bits), vandq_u8(d, bits));
  Quarter both = vpaddq_u8(low, high);
  return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(both, both)), 0);
}

/// Evaluates an expression for each part of a block.
#define MASK(BYTES, OF_PART)                                                                        \
  ({                                                                                                \
    Quarter made[4];                                                                                \
    for (int i = 0; i < 4; i++) { Quarter part = (BYTES).part[i]; made[i] = (OF_PART); }            \
    mask(made[0], made[1], made[2], made[3]);                                                       \
  })

INLINE Quarter all(uint8_t byte) { return vdupq_n_u8(byte); }

typedef uint8_t Row __attribute__((vector_size(16)));

/// Returns the mask of the bytes of a block's rows that are all ones; the others are zeros.
INLINE uint64_t bitsOf(const Row *rows) {
  return mask((Quarter)rows[0], (Quarter)rows[1], (Quarter)rows[2], (Quarter)rows[3]);
}

#define OWN_HINTS
INLINE uint64_t hintsIn(const uint8_t *input, const uint8_t *letters) {
  Quarter first = vld1q_u8(letters), second = vld1q_u8(letters + 16);
  Row rows[4];
  for (int i = 0; i < 4; i++) {
    const uint8_t *bytes = input + 16 * i;
    Quarter start = vld1q_u8(bytes);
    // An index above 15 gives 0: the highest bit of bytes beyond ASCII is kept.
    Quarter pairs = vandq_u8(
        vqtbl1q_u8(first, vandq_u8(vld1q_u8(bytes + 1), all(0x8F))),
        vqtbl1q_u8(second, vandq_u8(vld1q_u8(bytes + 2), all(0x8F))));
    Quarter marks = vorrq_u8(vceqq_u8(start, all('"')), vceqq_u8(start, all('@')));
    rows[i] = (Row)vandq_u8(marks, vtstq_u8(pairs, pairs));
  }
  return bitsOf(rows);
}

enum { stride = 16 };

INLINE void copyStride(const uint8_t *input, uint8_t *output) { vst1q_u8(output, vld1q_u8(input)); }

INLINE uint64_t bitCount(uint64_t bits) { return (uint64_t)__builtin_popcountll(bits); }

#include "Runs.h"
#include "Counted.h"

// MARK: Masks

enum { lanes = 2 };
typedef uint64_t Bits __attribute__((vector_size(16)));

INLINE unsigned tops(Bits bits) { return (unsigned)(bits[0] >> 63 | bits[1] >> 63 << 1); }
INLINE Bits spread(unsigned bits) { return (Bits){0 - (uint64_t)(bits & 1), 0 - (uint64_t)(bits >> 1 & 1)}; }

INLINE Bits toNextLane(Bits bits, Bits before) { return __builtin_shufflevector(before, bits, 1, 2); }

#include "LongSums.h"

INLINE void transpose(const uint8_t *input, uint64_t *planes) {
  for (int lane = 0; lane < lanes; lane++) {
    Bytes bytes = load(input + 64 * lane);
    for (int bit = 0; bit < 8; bit++) planes[bit * CJSONWindow + lane] = MASK(bytes, vtstq_u8(part, all(1 << bit)));
  }
}

#include "Blocks.h"
#include "Find.h"
#include "Hints.h"
DEFINE_KERNEL(neon)
DEFINE_FINDER(neon)
#endif
