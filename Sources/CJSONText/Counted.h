// The places of tokens, each by counting the bytes before it that stay: eight at a time, because how many come nobody
// can foresee. Those that are too many are written over.
//
// Needs `bitCount`. It may write 7 places behind the last one.

INLINE uint32_t *putPlaces(uint64_t tokens, uint64_t kept, uint32_t base, uint32_t *places) {
  uint32_t *end = places + bitCount(tokens);
  for (; places < end; places += 8) {
    for (int i = 0; i < 8; i++, tokens &= tokens - 1) {
      places[i] = base + (uint32_t)bitCount(kept & ((tokens & (0 - tokens)) - 1));
    }
  }
  return end;
}
