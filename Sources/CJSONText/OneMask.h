// Masks block by block, in a general register: `Bits` for machines without wide sums.

enum { lanes = 1 };
typedef uint64_t Bits;

INLINE uint64_t lanesWith(Bits bits) { return bits != 0; }

/// For each bit whether an odd number of bits is set up to it.
INLINE Bits prefixXor(Bits bits, uint64_t *carry) {
  for (int step = 1; step < 64; step *= 2) bits ^= bits << step;
  bits ^= 0 - *carry;
  *carry = bits >> 63;
  return bits;
}

/// The bits, moved by one place.
INLINE Bits next(Bits bits, uint64_t *carry) {
  Bits moved = bits << 1 | *carry;
  *carry = bits >> 63;
  return moved;
}

/// The places after the runs that begin at `starts`, and the starts that begin none.
INLINE Bits runEnds(Bits starts, Bits runs, uint64_t *carry) {
  unsigned long long over, sum = __builtin_addcll(starts, runs, *carry, &over);
  *carry = over;
  return sum & ~runs;
}

