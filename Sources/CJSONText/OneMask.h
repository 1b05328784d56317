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

/// The places of what comes after the tokens and white space: twice a token is the place behind it.
INLINE Bits follow(Bits tokens, Bits space, uint64_t *carry) {
  Bits sum = 2 * tokens + space + *carry;
  *carry = (tokens | (space & ~sum)) >> 63;
  return sum & ~space;
}

/// The places after the runs that begin at `starts`.
INLINE Bits runEnds(Bits starts, Bits runs, uint64_t *carry) {
  Bits sum = starts + runs + *carry;
  *carry = (runs & ~sum) >> 63;
  return sum & ~runs;
}
