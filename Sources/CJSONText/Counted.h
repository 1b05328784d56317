// Computes the offset of each token by counting the kept bytes before it. It writes eight offsets at a time, because
// the number of tokens can't be predicted; surplus offsets are overwritten later.
//
// Needs `bitCount`. May write 7 offsets after the last one.

INLINE uint32_t *putPlaces(uint64_t tokens, uint64_t kept, uint32_t base, uint32_t *places) {
  uint32_t *end = places + bitCount(tokens);
  for (; places < end; places += 8) {
    for (int i = 0; i < 8; i++, tokens &= tokens - 1) {
      places[i] = base + (uint32_t)bitCount(kept & ((tokens & (0 - tokens)) - 1));
    }
  }
  return end;
}
