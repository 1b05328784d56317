// Where tokens stand in the output, as numbers: for those who look for a record's members once it is whole.
//
// White space is gone from the output, so that places are enough to know all that stands between them: a name begins
// behind a bracket or comma and ends before its colon, a value begins behind the colon. What a token is, the byte says.

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
