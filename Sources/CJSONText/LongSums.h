// The masks of many blocks as one long number: what goes over the end of a lane is carried to the next one.
//
// Needs `lanes`, `Bits` of as many words, and two ways: `tops` from lanes to their highest bits, `spread` from bits to
// lanes of ones.

/// One bit a lane that is not zero; one that is all ones.
INLINE uint64_t lanesWith(Bits bits) { return tops((Bits)(bits != (Bits){0})); }
INLINE unsigned fullLanes(Bits bits) { return tops((Bits)(bits == ~(Bits){0})); }

/// For each bit whether an odd number of bits is set up to it: lane by lane, then by the lanes before.
INLINE Bits prefixXor(Bits bits, uint64_t *carry) {
  for (int step = 1; step < 64; step *= 2) bits ^= bits << step;
  unsigned odd = tops(bits);
  for (int step = 1; step < lanes; step *= 2) odd ^= odd << step;
  odd = odd << 1 ^ (0 - (unsigned)*carry);
  *carry = odd >> lanes & 1;
  return bits ^ spread(odd);
}

/// The bits, moved by one place.
INLINE Bits next(Bits bits, uint64_t *carry) {
  unsigned over = tops(bits) << 1 | (unsigned)*carry;
  *carry = over >> lanes;
  return bits << 1 | spread(over) >> 63;
}

/// Adds to each lane what went over the end of the one before. It goes on through lanes that are full, by a sum of one
/// bit a lane.
INLINE Bits carryOver(Bits sum, Bits over, uint64_t *carry) {
  unsigned out = tops(over) << 1 | (unsigned)*carry, full = fullLanes(sum);
  out = (out + full) ^ full;
  *carry = out >> lanes & 1;
  return sum - spread(out);
}

/// The places of what comes after the tokens and white space: twice a token is the place behind it.
INLINE Bits follow(Bits tokens, Bits space, uint64_t *carry) {
  Bits sum = tokens + tokens + space;
  return carryOver(sum, tokens | (space & ~sum), carry) & ~space;
}

/// The places after the runs that begin at `starts`.
INLINE Bits runEnds(Bits starts, Bits runs, uint64_t *carry) {
  Bits sum = starts + runs;
  return carryOver(sum, runs & ~sum, carry) & ~runs;
}
