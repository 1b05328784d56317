// Writes the offsets of tokens in the output as numbers, for later searches of a record's members.
//
// The output has no white space, so the offsets of tokens give all values between them. A name begins after a bracket
// or comma and ends before its colon; a value begins after the colon. The byte at the offset says which token it is.

INLINE long writePlaces(const uint64_t *masks, long count, uint32_t base, uint32_t *places) {
  const uint64_t *with = masks + CJSONBlocks * CJSONWindow, one = 1;
  uint64_t blocks = with[CJSONBrackets] | with[CJSONCommas] | with[CJSONColons] | with[CJSONLineFeeds];
  uint32_t *next = places;
  for (blocks &= ~with[CJSONDeep] & ((one << count) - 1); blocks; blocks &= blocks - 1) {
    const uint64_t *block = masks + __builtin_ctzll(blocks);
    uint64_t tokens = block[CJSONBrackets * CJSONWindow] | block[CJSONCommas * CJSONWindow] |
                      block[CJSONColons * CJSONWindow] | block[CJSONLineFeeds * CJSONWindow];
    next = putPlaces(
        tokens & ~block[CJSONDeep * CJSONWindow], block[CJSONKept * CJSONWindow],
        base + (uint32_t)block[CJSONWritten * CJSONWindow], next);
  }
  return next - places;
}
