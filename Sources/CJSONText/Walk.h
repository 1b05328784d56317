// Walks from bracket to bracket without a branch on the bracket's kind, since the next kind can't be predicted. Records
// are cut during the walk, and blocks without brackets are passed at once. If token offsets are wanted (`Places.h`),
// the walk marks the tokens that are too deep. Other walks don't pay for this, since `marks` is a constant at compile
// time.

_Static_assert(CJSONWindow < 64, "the blocks of a window, and the place behind them, are bits of a word");

/// Rest of a block, up to its next bracket.
typedef struct {
  /// The bracket, and all bits up to it; without a bracket, zero, and all bits to the block's end.
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

/// Returns the tokens that are not allowed while no bracket changes the container.
///
/// Masks of kinds are `stride` words apart.
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

/// Returns the bits of a step that are too deep, and a bracket that leads there.
INLINE uint64_t deepBits(const CJSONWalk *walk, Step step) {
  uint64_t isWithin = 0 - (uint64_t)(walk->depth > walk->deepest), leads = walk->depth == walk->deepest;
  return (step.segment & isWithin) | (step.bracket & (0 - (leads & step.isOpening)));
}

/// Walks over the valid rest of a block while the depth allows it.
///
/// Returns true at the block's end.
INLINE bool walkRecord(CJSONWalk *walk, uint64_t *masks, bool marks) {
  while (walk->depth >= walk->lowest && walk->depth < walk->highest) {
    Step step = stepAt(walk->rest, masks);
    if (wrongBits(walk, masks, CJSONLineFeeds, CJSONWindow) & step.segment) return false;
    if (marks) masks[CJSONDeep * CJSONWindow] |= deepBits(walk, step);
    if (!step.bracket) return true;
    if (!step.isOpening & (step.isCurly != (walk->kinds & 1))) return false;
    turn(walk, step);
  }
  return false;
}

/// Ends the records that have their separators in the segment of a block.
INLINE void cutRecords(CJSONWalk *walk, const uint64_t *masks, long block, uint64_t segment) {
  for (uint64_t ends = masks[walk->separators * CJSONWindow] & segment; ends; ends &= ends - 1) {
    uint64_t kept = masks[CJSONKept * CJSONWindow] & ((ends & (0 - ends)) - 1);
    walk->complete = (long)masks[CJSONWritten * CJSONWindow] + __builtin_popcountll(kept);
    walk->output[walk->complete++] = '\n';
    walk->lineStart = 64 * block + __builtin_ctzll(ends) + 1;
    walk->records++;
  }
}

/// Walks from between two records into the next record, or to the block's end.
///
/// Returns false at the closing bracket.
INLINE bool walkBetween(CJSONWalk *walk, const uint64_t *masks, long block) {
  Step step = stepAt(walk->rest, masks);
  if (wrongBits(walk, masks, walk->strays, CJSONWindow) & step.segment) return false;
  if (step.bracket && !step.isOpening) return false;
  cutRecords(walk, masks, block, step.segment);
  if (step.bracket) turn(walk, step);
  return true;
}

/// Walks from record to record in the rest of a block.
///
/// Returns true at the block's end.
INLINE bool walkBlock(CJSONWalk *walk, uint64_t *masks, long block, bool marks) {
  for (;;) {
    if (walk->depth == walk->floor && !walkBetween(walk, masks, block)) return false;
    if (walk->depth == walk->floor || walkRecord(walk, masks, marks)) return true;
    if (walk->depth != walk->floor) return false;
  }
}

/// Passes blocks without brackets if all of them are valid.
INLINE bool passBlocks(CJSONWalk *walk, uint64_t *masks, uint64_t blocks, bool marks) {
  bool isBetween = walk->depth == walk->floor;
  long strays = isBetween ? walk->strays : CJSONLineFeeds;
  if (wrongBits(walk, masks + CJSONBlocks * CJSONWindow, strays, 1) & blocks) return false;
  if (marks && walk->depth > walk->deepest) masks[CJSONBlocks * CJSONWindow + CJSONDeep] |= blocks;
  if (!isBetween) return true;
  blocks &= masks[CJSONBlocks * CJSONWindow + walk->separators];
  for (; blocks; blocks &= blocks - 1) {
    long block = __builtin_ctzll(blocks);
    cutRecords(walk, masks + block, block, ~(uint64_t)0);
  }
  return true;
}

INLINE long goOver(CJSONWalk *shared, uint64_t *masks, long block, long count, bool marks) {
  CJSONWalk walk = *shared;
  const uint64_t one = 1, brackets = masks[CJSONBlocks * CJSONWindow + CJSONBrackets] | one << count;
  while (block < count) {
    long next = __builtin_ctzll(brackets & (0 - (one << block)));
    if (!passBlocks(&walk, masks, (one << next) - (one << block), marks)) break;
    block = next;
    if (block == count || !walkBlock(&walk, masks + block, block, marks)) break;
    walk.rest = ~(uint64_t)0;
    block++;
  }
  *shared = walk;
  return block;
}

INLINE long walkBlocks(CJSONWalk *walk, uint64_t *masks, long block, long count) {
  bool marks = walk->deepest < walk->highest;
  return marks ? goOver(walk, masks, block, count, true) : goOver(walk, masks, block, count, false);
}
