// The technique: 64 bytes of JSON text at once, and what is asked of them answered by arithmetic instead of branches.
//
// A block of 64 bytes becomes one 64-bit mask a class of bytes, bit i for byte i. What a parser asks byte by byte,
// masks answer for all of them by shifts and sums:
//
// - Classes: `transpose` makes eight masks of a block, one of each bit of its bytes, and a class is a formula over them
//   (`Planes.h`). From Cameron, "A Case Study in SIMD Text Processing with Parallel Bit Streams" (PPoPP 2008). UTF-8 is
//   checked by such formulas too.
// - Strings: the parity of the quotes before a byte tells whether it is in one (`prefixXor`). Backslashes are paired by
//   a subtraction (`Strings.h`). Both are from Langdale and Lemire, "Parsing Gigabytes of JSON per Second" (arXiv
//   1902.08318), whose simdjson is the peer.
// - Runs: a bit added to the mask of a run that it begins comes out where the run ends. `follow` finds so what stands
//   after a token and any white space, `runEnds` where the digits of a number end.
// - Grammar: each token has to follow one that it may follow (`checkTokens`). Whether a bracket fits its other half,
//   and whether elements stand in an array and members in an object, depends on all that is open. That alone is left
//   to the second stage, which walks the brackets: `colons` and `elements` tell it what stands between two of them.
// - Numbers: every part has to begin where the one before it ends (`Scalars.h`).
//
// The masks of as many blocks as fit a register are one long number (`Bits`), so that one instruction moves or adds
// all of them; what goes over its end is carried to the next one. White space is dropped at last; the second stage
// finds a place in the output by counting `kept` bits.
//
// What is wrong is only found, never named: the portable pass reads the text again and says what it is. So a check may
// find it too early, but never in a later group than the byte at which the portable pass says it is.
//
// A file includes this once it has said what its instructions can do: with 64 bytes
//   compact putPlaces
// with `lanes` blocks
//   transpose
// and with as many masks (`Bits`), which `LongSums.h` makes of a few instructions,
//   lanesWith prefixXor next toNextLane follow runEnds

#include "CJSONText.h"
#include "Planes.h"
#include "Carries.h"
#include "Strings.h"
#include "Scalars.h"
#include "Walk.h"
#include "Places.h"

/// The masks of a window that one pass over it leaves to those after it.
typedef struct {
  Window window;
  uint64_t quotes[CJSONWindow], inside[CJSONWindow];
  /// All bytes of scalars, where they begin, and where they begin with a letter.
  uint64_t scalars[CJSONWindow], scalarStarts[CJSONWindow], words[CJSONWindow];
  /// Blocks in which some begin with a letter.
  uint64_t withWords;
} Scan;

/// For the second stage: the masks of a kind, and which blocks have any of it.
INLINE void tell(int kind, Bits bits, size_t index, uint64_t *masks) {
  put(bits, &masks[kind * CJSONWindow + index]);
  masks[CJSONBlocks * CJSONWindow + kind] |= lanesWith(bits) << index;
}

// MARK: Groups

/// Finds strings, and what is wrong in them.
INLINE Bits checkStrings(size_t index, Scan *scan, Bits *notPlain, CJSONCarry *carry, Carries *over) {
  Planes planes = planesAt(&scan->window, index);
  Bits escaped, wrong = checkEscapes(planes, &escaped, over) | checkUTF8(planes, over);
  Bits unescaped = quotes(planes) & ~escaped, inside = prefixXor(unescaped, &carry->inString);
  put(unescaped, &scan->quotes[index]);
  put(inside, &scan->inside[index]);
  *notPlain |= controls(planes) | planes.bit7;
  return wrong | (controls(planes) & inside);
}

/// What stands outside of strings, and where those begin.
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

/// Each token has to follow one that it may follow. Sets what the second stage has to know.
INLINE Bits checkTokens(bool isLines, size_t index, Scan *scan, Carries *carry, uint64_t *masks) {
  Tokens t = findTokens(isLines, index, scan);
  Bits others = t.opening | findScalars(t, index, scan, carry);
  Bits afterOpening = follow(t.opening, t.space, &carry->afterOpening);
  Bits afterColonOrComma = follow(t.colons | t.commas, t.space, &carry->afterColonOrComma);
  Bits afterCurlyOrComma = follow((t.opening & t.curly) | t.commas, t.space, &carry->afterCurlyOrComma);
  // A string there is a key in an object, and then a colon follows.
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

/// A pass over groups of `count` blocks, and then over fewer where something is wrong.
#define CHECK(COUNT, WRONG) \
  for (size_t index = 0; index < COUNT; index += lanes) if (isAny(WRONG)) COUNT = index;

/// Copies what stays of the blocks that a register has the masks of.
INLINE void dropSpace(const uint8_t *input, size_t first, uint8_t *output, CJSONCarry *carry, uint64_t *masks) {
  for (size_t index = first; index < first + lanes; index++) {
    masks[CJSONWritten * CJSONWindow + index] = carry->written;
    carry->written += compact(input + 64 * index, masks[CJSONKept * CJSONWindow + index], output + carry->written);
  }
}

/// Gives how many blocks are right. Several short passes keep more of the machine busy than a long one, in which each
/// step waits for the one before. White space is dropped in the shortest of them, which leaves it the most room.
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

/// How many bytes of `count` blocks are line feeds, and how many continue a UTF-8 sequence: as signed numbers, those
/// are the least. A counter counts to 255 at most before it is added up.
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
