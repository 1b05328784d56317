// The technique: 64 bytes of JSON text are tested at once, by arithmetic instead of branches.
//
// A block of 64 bytes becomes one 64-bit mask for each class of bytes, bit i for byte i. A parser's tests of single
// bytes become shifts and sums of masks:
//
// - Classes: `transpose` makes eight masks of a block, one for each bit of its bytes. A class is a formula over them
//   (`Planes.h`). From Cameron, "A Case Study in SIMD Text Processing with Parallel Bit Streams" (PPoPP 2008). Such
//   formulas validate UTF-8 too.
// - Strings: a byte is in a string if the number of quotes before it is odd (`prefixXor`). A subtraction pairs the
//   backslashes (`Strings.h`). Both are from Langdale and Lemire, "Parsing Gigabytes of JSON per Second" (arXiv
//   1902.08318), the paper on simdjson, which is the peer.
// - Runs: a run's first bit, added to the run's mask, comes out at the run's end. `follow` finds the byte after a token
//   and its white space in this way, `runEnds` the end of a number's digits.
// - Grammar: each token must follow a token that allows it (`checkTokens`). Two checks depend on all open containers:
//   that a bracket matches its other half, and that arrays have elements and objects have members. Only these are left
//   to the second stage, which walks the brackets. The masks `colons` and `elements` have the tokens between
//   two brackets.
// - Numbers: every part must begin where the part before it ends (`Scalars.h`).
//
// The masks of as many blocks as fit a register are one long number (`Bits`), so that one instruction moves or adds all
// of them. A carry goes from each long number to the next. White space is dropped last; the second stage computes an
// offset in the output by counting `kept` bits.
//
// This stage finds errors but does not report them: the portable pass reads the text again and reports the error. So a
// check may find an error too early, but never in a later group than the byte that the portable pass reports.
//
// A file includes this header after it has defined these functions:
//
// - on 64 bytes: `compact`, `putPlaces`
// - on `lanes` blocks: `transpose`
// - on as many masks (`Bits`): `lanesWith`, `prefixXor`, `next`, `toNextLane`, `follow`, `runEnds`. `LongSums.h` builds
//   them from a few instructions.

#include <string.h>

#include "CJSONText.h"
#include "Planes.h"
#include "Carries.h"
#include "Strings.h"
#include "Scalars.h"
#include "Walk.h"
#include "Places.h"

/// Masks of a window that one pass computes for the passes after it.
typedef struct {
  Window window;
  uint64_t quotes[CJSONWindow], inside[CJSONWindow];
  /// All bytes of scalars, the first bytes of scalars, and the first bytes that are letters.
  uint64_t scalars[CJSONWindow], scalarStarts[CJSONWindow], words[CJSONWindow];
  /// Blocks in which a scalar begins with a letter.
  uint64_t withWords;
} Scan;

/// Stores the masks of a kind for the second stage, and the blocks in which these masks are not zero.
INLINE void tell(int kind, Bits bits, size_t index, uint64_t *masks) {
  put(bits, &masks[kind * CJSONWindow + index]);
  masks[CJSONBlocks * CJSONWindow + kind] |= lanesWith(bits) << index;
}

// MARK: Groups

/// Finds strings, and the errors in them.
INLINE Bits checkStrings(size_t index, Scan *scan, Bits *notPlain, CJSONCarry *carry, Carries *over) {
  Planes planes = planesAt(&scan->window, index);
  Bits escaped, wrong = checkEscapes(planes, &escaped, over) | checkUTF8(planes, over);
  Bits unescaped = quotes(planes) & ~escaped, inside = prefixXor(unescaped, &carry->inString);
  put(unescaped, &scan->quotes[index]);
  put(inside, &scan->inside[index]);
  *notPlain |= controls(planes) | planes.bit7;
  return wrong | (controls(planes) & inside);
}

/// Tokens and white space outside of strings, and the first bytes of strings.
typedef struct {
  Bits outside, inside, strings, space, lineFeeds, opening, closing, curly, colons, commas;
} Tokens;

INLINE Tokens findTokens(bool isLines, size_t index, const Scan *scan) {
  Planes p = planesAt(&scan->window, index);
  Bits quoted = get(&scan->quotes[index]), inside = get(&scan->inside[index]), outside = ~(quoted | inside);
  Bits feeds = isLines ? lineFeeds(p) & outside : outside & ~outside;
  Bits bracket = brackets(p) & outside;
  return (Tokens){
    .outside = outside, .inside = inside, .strings = quoted & inside,
    .space = space(p) & outside & ~feeds, .lineFeeds = feeds,
    .opening = bracket & p.bit1, .closing = bracket & ~p.bit1, .curly = p.bit5,
    .colons = colons(p) & outside, .commas = commas(p) & outside,
  };
}

INLINE Bits findScalars(Tokens t, size_t index, Scan *scan, Carries *carry) {
  Bits all = t.outside & ~(t.space | t.lineFeeds | t.opening | t.closing | t.colons | t.commas);
  Bits starts = all & ~next(all, &carry->inScalar);
  put(all, &scan->scalars[index]);
  put(starts, &scan->scalarStarts[index]);
  return starts;
}

/// Checks that each token may follow the token before it, and stores the masks for the second stage.
INLINE Bits checkTokens(bool isLines, size_t index, Scan *scan, Carries *carry, uint64_t *masks) {
  Tokens t = findTokens(isLines, index, scan);
  Bits others = t.opening | findScalars(t, index, scan, carry);
  Bits afterOpening = follow(t.opening, t.space, &carry->afterOpening);
  Bits afterColonOrComma = follow(t.colons | t.commas, t.space, &carry->afterColonOrComma);
  Bits afterCurlyOrComma = follow((t.opening & t.curly) | t.commas, t.space, &carry->afterCurlyOrComma);
  // A string after `{` or a comma is a key in an object, and a colon must follow.
  Bits keyEnds = runEnds(t.strings & afterCurlyOrComma, t.inside, &carry->inKey);
  Bits afterKey = follow(keyEnds, t.space, &carry->afterKey);
  Bits afterLineFeed = isLines ? follow(t.lineFeeds, t.space, &carry->afterLineFeed) : t.lineFeeds;

  put(~(t.space | (t.lineFeeds & afterLineFeed)), &masks[CJSONKept * CJSONWindow + index]);
  tell(CJSONBrackets, t.opening | t.closing, index, masks);
  put(t.opening, &masks[CJSONOpening * CJSONWindow + index]);
  put(t.curly, &masks[CJSONCurly * CJSONWindow + index]);
  tell(CJSONCommas, t.commas, index, masks);
  tell(CJSONColons, t.colons, index, masks);
  tell(CJSONElements, (afterCurlyOrComma & others) | (afterKey & ~t.colons), index, masks);
  tell(CJSONLineFeeds, t.lineFeeds & ~afterLineFeed, index, masks);
  Bits within = afterOpening | afterColonOrComma, expected = within | afterLineFeed;
  return ((others | t.strings) & ~expected) | ((t.colons | t.commas) & expected) |
         (t.closing & (afterColonOrComma | afterLineFeed)) | (t.colons & ~afterKey) | (t.lineFeeds & within);
}

INLINE Bits checkScalars(size_t index, Scan *scan, Carries *carry) {
  Planes planes = planesAt(&scan->window, index);
  Bits all = get(&scan->scalars[index]), starts = get(&scan->scalarStarts[index]);
  Bits letters = all & (planes.bit6 | planes.bit7);
  put(starts & letters, &scan->words[index]);
  scan->withWords |= lanesWith(starts & letters) << index;
  return checkNumbers(planes, (Scalars){all, starts, all & digits(planes), all & points(planes), letters}, carry);
}

INLINE size_t checkWords(const uint8_t *input, size_t count, const Scan *scan) {
  for (uint64_t blocks = scan->withWords; blocks; blocks &= blocks - 1) {
    size_t index = (size_t)__builtin_ctzll(blocks);
    if (index >= count) break;
    if (!areWords(input + 64 * index, scan->words[index])) return index & ~(size_t)(lanes - 1);
  }
  return count;
}

// MARK: Windows

/// Runs a check over groups of `lanes` blocks; after an error, lowers COUNT to the groups before it.
#define CHECK(COUNT, WRONG) \
  for (size_t index = 0; index < COUNT; index += lanes) if (isAny(WRONG)) COUNT = index;

/// Copies the kept bytes of the blocks in one register's masks.
INLINE void dropSpace(const uint8_t *input, size_t first, uint8_t *output, CJSONCarry *carry, uint64_t *masks) {
  for (size_t index = first; index < first + lanes; index++) {
    masks[CJSONWritten * CJSONWindow + index] = carry->written;
    carry->written += compact(input + 64 * index, masks[CJSONKept * CJSONWindow + index], output + carry->written);
  }
}

/// Returns the number of valid blocks.
///
/// Several short passes keep more of the machine busy than a long one, in which each step waits for the step before.
/// White space is dropped in the shortest pass, which has the most free resources.
INLINE size_t checkWindow(
    bool isLines, const uint8_t *input, size_t count, uint8_t *output, Scan *scan, CJSONCarry *carry,
    uint64_t *masks) {
  scan->withWords = 0;
  Bits notPlain = {0};
  Carries over = spreadCarries(carry);
  CHECK(count, checkStrings(index, scan, &notPlain, carry, &over))
  CHECK(count, checkTokens(isLines, index, scan, &over, masks))
  CHECK(count, (dropSpace(input, index, output, carry, masks), checkScalars(index, scan, &over)))
  gatherCarries(over, carry);
  carry->isNotPlain |= isAny(notPlain);
  return checkWords(input, count, scan);
}

INLINE size_t scanBlocks(
    bool isLines, CJSONCarry *shared, const uint8_t *input, size_t count, uint8_t *output, uint64_t *masks) {
  CJSONCarry carry = *shared;
  Scan scan;
  readWindow(input, count, &scan.window);
  for (int kind = 0; kind < CJSONBlocks; kind++) masks[CJSONBlocks * CJSONWindow + kind] = 0;
  size_t right = checkWindow(isLines, input, count, output, &scan, &carry, masks);
  *shared = carry;
  return right;
}

// MARK: Lines

/// A block, and as many counters.
typedef uint8_t Counters __attribute__((vector_size(64)));
typedef int8_t SignedBytes __attribute__((vector_size(64)));

INLINE uint64_t sum(const Counters *counters) {
  const uint64_t everySecond = 0x00FF00FF00FF00FF, ones = 0x0001000100010001;
  uint64_t words[8], total = 0;
  __builtin_memcpy(words, counters, sizeof words);
  for (int i = 0; i < 8; i++) total += ((words[i] & everySecond) + (words[i] >> 8 & everySecond)) * ones >> 48;
  return total;
}

/// Counts the line feeds and the UTF-8 continuation bytes of `count` blocks.
///
/// Continuation bytes are the least signed numbers. A counter counts to at most 255 before it is added up.
INLINE void countBlocks(const uint8_t *input, size_t count, uint64_t *lineFeeds, uint64_t *continuations) {
  while (count) {
    Counters feeds = {0}, tails = {0};
    size_t batch = count < 255 ? count : 255;
    count -= batch;
    for (; batch; batch--, input += 64) {
      SignedBytes bytes;
      __builtin_memcpy(&bytes, input, sizeof bytes);
      feeds -= (Counters)(bytes == '\n');
      tails -= (Counters)(bytes < -64);
    }
    *lineFeeds += sum(&feeds);
    *continuations += sum(&tails);
  }
}
