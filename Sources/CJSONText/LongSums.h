// Sums of the masks of many blocks, as those of one long number. Needs `carryOver`.

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
