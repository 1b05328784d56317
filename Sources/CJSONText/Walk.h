// From bracket to bracket, without a branch for what they are: which one comes next nobody can foresee. Records are cut
// on the way, and blocks without brackets are gone over at once.

_Static_assert(CJSONWindow < 64, "the blocks of a window, and the place behind them, are bits of a word");

/// What is left of a block, up to its next bracket.
typedef struct {
  /// The bracket, and all to it; or nothing, and all to the block's end.
  uint64_t bracket, segment;
  bool isOpening, isCurly;
} Step;

INLINE Step stepAt(uint64_t rest, const uint64_t *masks) {
  uint64_t brackets = masks[CJSONBrackets * CJSONWindow] & rest, bit = brackets & (0 - brackets);
  uint64_t opening = masks[CJSONOpening * CJSONWindow] & bit, curly = masks[CJSONCurly * CJSONWindow] & bit;
  return (Step){
    .bracket = bit, .segment = rest & (bit ^ (bit - 1)), .isOpening = opening != 0, .isCurly = curly != 0,
  };
}

/// What may not stand there as long as no bracket changes what is open. Masks of kinds are `stride` words apart.
INLINE uint64_t wrongBits(const CJSONWalk *walk, const uint64_t *masks, long strays, long stride) {
  uint64_t inObject = 0 - (walk->kinds & 1);
  uint64_t elements = masks[CJSONElements * stride], colons = masks[CJSONColons * stride];
  return (elements & inObject) | (colons & ~inObject) | masks[strays * stride];
}

INLINE void turn(CJSONWalk *walk, Step step) {
  walk->kinds = step.isOpening ? walk->kinds << 1 | step.isCurly : walk->kinds >> 1;
  walk->depth += step.isOpening ? 1 : -1;
  walk->rest &= ~step.segment;
}

/// Goes over what is left of a block and is right, as long as the depth allows. Whether it came to the block's end.
INLINE bool walkRecord(CJSONWalk *walk, const uint64_t *masks) {
  while (walk->depth >= walk->lowest && walk->depth < walk->highest) {
    Step step = stepAt(walk->rest, masks);
    if (wrongBits(walk, masks, CJSONLineFeeds, CJSONWindow) & step.segment) return false;
    if (!step.bracket) return true;
    if (!step.isOpening & (step.isCurly != (walk->kinds & 1))) return false;
    turn(walk, step);
  }
  return false;
}

/// Ends the records whose separators stand in the segment of a block.
INLINE void cutRecords(CJSONWalk *walk, const uint64_t *masks, long block, uint64_t segment) {
  for (uint64_t ends = masks[walk->separators * CJSONWindow] & segment; ends; ends &= ends - 1) {
    uint64_t kept = masks[CJSONKept * CJSONWindow] & ((ends & (0 - ends)) - 1);
    walk->complete = (long)masks[CJSONWritten * CJSONWindow] + __builtin_popcountll(kept);
    walk->output[walk->complete++] = '\n';
    walk->lineStart = 64 * block + __builtin_ctzll(ends) + 1;
    walk->records++;
  }
}

/// Goes over what is left of a block between two records, into the next one. False at the bracket that ends them all.
INLINE bool walkBetween(CJSONWalk *walk, const uint64_t *masks, long block) {
  Step step = stepAt(walk->rest, masks);
  if (wrongBits(walk, masks, walk->strays, CJSONWindow) & step.segment) return false;
  if (step.bracket && !step.isOpening) return false;
  cutRecords(walk, masks, block, step.segment);
  if (step.bracket) turn(walk, step);
  return true;
}

/// Goes from record to record in what is left of a block. Whether it came to the block's end.
INLINE bool walkBlock(CJSONWalk *walk, const uint64_t *masks, long block) {
  for (;;) {
    if (walk->depth == walk->floor && !walkBetween(walk, masks, block)) return false;
    if (walk->depth == walk->floor || walkRecord(walk, masks)) return true;
    if (walk->depth != walk->floor) return false;
  }
}

/// Goes over blocks without brackets, if all of them are right.
INLINE bool passBlocks(CJSONWalk *walk, const uint64_t *masks, uint64_t blocks) {
  bool isBetween = walk->depth == walk->floor;
  long strays = isBetween ? walk->strays : CJSONLineFeeds;
  if (wrongBits(walk, masks + CJSONBlocks * CJSONWindow, strays, 1) & blocks) return false;
  if (!isBetween) return true;
  blocks &= masks[CJSONBlocks * CJSONWindow + walk->separators];
  for (; blocks; blocks &= blocks - 1) {
    long block = __builtin_ctzll(blocks);
    cutRecords(walk, masks + block, block, ~(uint64_t)0);
  }
  return true;
}

INLINE long walkBlocks(CJSONWalk *shared, const uint64_t *masks, long block, long count) {
  CJSONWalk walk = *shared;
  const uint64_t one = 1, brackets = masks[CJSONBlocks * CJSONWindow + CJSONBrackets] | one << count;
  while (block < count) {
    long next = __builtin_ctzll(brackets & (0 - (one << block)));
    if (!passBlocks(&walk, masks, (one << next) - (one << block))) break;
    block = next;
    if (block == count || !walkBlock(&walk, masks + block, block)) break;
    walk.rest = ~(uint64_t)0;
    block++;
  }
  *shared = walk;
  return block;
}
