// From bracket to bracket, without a branch for what they are: which one comes next nobody can foresee.

/// Goes over the brackets of a block that are right, as long as the depth allows. Whether it came to the block's end.
INLINE bool walkBlock(CJSONWalk *walk, const uint64_t *masks) {
  uint64_t opening = masks[CJSONOpening * CJSONWindow], curly = masks[CJSONCurly * CJSONWindow];
  uint64_t elements = masks[CJSONElements * CJSONWindow], colons = masks[CJSONColons * CJSONWindow];
  uint64_t lineFeeds = masks[CJSONLineFeeds * CJSONWindow];
  for (;;) {
    uint64_t brackets = masks[CJSONBrackets * CJSONWindow] & walk->rest, bit = brackets & (0 - brackets);
    // To the bracket, or to the end if there is none.
    uint64_t segment = walk->rest & (bit ^ (bit - 1)), inObject = 0 - (walk->kinds & 1);
    if ((((elements & inObject) | (colons & ~inObject) | lineFeeds) & segment) != 0) return false;
    if (!bit) return true;
    bool isOpening = (opening & bit) != 0, isCurly = (curly & bit) != 0;
    if (!isOpening & (isCurly != (walk->kinds & 1))) return false;
    walk->kinds = isOpening ? walk->kinds << 1 | isCurly : walk->kinds >> 1;
    walk->depth += isOpening ? 1 : -1;
    walk->rest &= ~segment;
    if (walk->depth < walk->lowest || walk->depth >= walk->highest) return false;
  }
}

INLINE long walkBlocks(CJSONWalk *shared, const uint64_t *masks, long block, long count) {
  CJSONWalk walk = *shared;
  for (; block < count && walkBlock(&walk, masks + block); block++) walk.rest = ~(uint64_t)0;
  *shared = walk;
  return block;
}
