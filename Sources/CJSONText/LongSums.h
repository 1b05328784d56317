// The masks of many blocks as one long number: each lane's carry goes to the next lane.
//
// Needs `lanes`, and `Bits` of as many words. Needs `tops`, from lanes to their highest bits, and `spread`, from bits
// to lanes of ones. Needs `toNextLane`, which moves all lanes by one and begins with the last lane of the number
// before.

/// Returns one bit for each lane that is not zero.
INLINE uint64_t lanesWith(Bits bits) { return tops((Bits)(bits != (Bits){0})); }

/// Sets each bit that has an odd number of set bits up to itself: first in each lane, then by the lanes before.
INLINE Bits prefixXor(Bits bits, uint64_t *carry) {
  for (int step = 1; step < 64; step *= 2) bits ^= bits << step;
  unsigned odd = tops(bits);
  for (int step = 1; step < lanes; step *= 2) odd ^= odd << step;
  odd = odd << 1 ^ (0 - (unsigned)*carry);
  *carry = odd >> lanes & 1;
  return bits ^ spread(odd);
}

/// Moves the bits up by one.
INLINE Bits next(Bits bits, Bits *carry) {
  Bits over = bits >> 63, moved = bits << 1 | toNextLane(over, *carry);
  *carry = over;
  return moved;
}

/// Adds to each lane the carry of the lane before.
///
/// A carry passes through full lanes; that is rare.
INLINE Bits carryOver(Bits sum, Bits over, Bits *carry) {
  Bits out = over >> 63, in = toNextLane(out, *carry), whole = sum + in;
  if (__builtin_expect(tops(sum & ~whole) != 0, false)) {
    for (int lane = 0; lane < lanes; lane++) {
      if (lane > 0) in[lane] = out[lane - 1];
      out[lane] |= in[lane] & (uint64_t)(sum[lane] == ~(uint64_t)0);
    }
    whole = sum + in;
  }
  *carry = out;
  return whole;
}

/// Returns the bits after the tokens and their white space: twice a token is the bit after it.
INLINE Bits follow(Bits tokens, Bits space, Bits *carry) {
  Bits sum = tokens + tokens + space;
  return carryOver(sum, tokens | (space & ~sum), carry) & ~space;
}

/// Returns the bits after the runs that begin at `starts`.
INLINE Bits runEnds(Bits starts, Bits runs, Bits *carry) {
  Bits sum = starts + runs;
  return carryOver(sum, runs & ~sum, carry) & ~runs;
}
