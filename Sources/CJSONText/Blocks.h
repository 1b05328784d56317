// The technique: 64 bytes of JSON text at once, and what is asked of them answered by arithmetic instead of branches.
//
// A block of 64 bytes becomes one 64-bit mask a class of bytes, bit i for byte i. What a parser asks byte by byte, masks
// answer for all of them by shifts and sums:
//
// - Classes: `transpose` makes eight masks of a block, one of each bit of its bytes, and a class is a formula over them
//   (`Planes.h`). From Cameron, "A Case Study in SIMD Text Processing with Parallel Bit Streams" (PPoPP 2008). UTF-8 is
//   checked by such formulas too.
// - Strings: the parity of the quotes before a byte tells whether it is in one (`prefixXor`). Backslashes are paired by
//   a subtraction (`Strings.h`). Both are from Langdale and Lemire, "Parsing Gigabytes of JSON per Second" (arXiv
//   1902.08318), whose simdjson is the peer.
// - Runs: a bit added to the mask of a run that it begins comes out where the run ends. `follow` finds so what stands
//   after a token and any white space, `runEnds` where the digits of a number end.
// - Grammar: each token has to follow one that it may follow (`checkTokens`). Whether a bracket fits its other half, and
//   whether elements stand in an array and members in an object, depends on all that is open. That alone is left to
//   the second stage, which walks the brackets: `colons` and `elements` tell it what stands between two of them.
// - Numbers: every part has to begin where the one before it ends (`Scalars.h`).
//
// The masks of as many blocks as fit a register are one long number (`Bits`), so that one instruction moves or adds
// all of them; what goes over its end is carried to the next one. White space is dropped at last; the second stage
// finds a place in the output by counting `kept` bits.
//
// What is wrong is only found, never named: the portable pass reads the text again and says what it is. So a check may
// find it too early, but never in a later group than the byte at which the portable pass says it is.
//
// A file includes this once it has said what its instructions can do: with 64 bytes (`Bytes`)
//   load equals below isHigh compact bitCount
// with `lanes` blocks
//   transpose
// and with as many masks (`Bits`)
//   lanesWith prefixXor next follow runEnds

#include "CJSONText.h"
#include "Planes.h"
#include "Strings.h"
#include "Scalars.h"

/// What the window's groups leave to be looked at when all of them are read.
typedef struct {
  Window window;
  /// Where letters begin a scalar.
  uint64_t words[CJSONWindow];
  /// Control characters, and bytes beyond ASCII.
  Bits notPlain;
} Scan;

/// For the second stage: the masks of a kind, and which blocks have any of it.
INLINE void tell(int kind, Bits bits, size_t index, uint64_t *masks) {
  put(bits, &masks[kind * CJSONWindow + index]);
  masks[CJSONBlocks * CJSONWindow + kind] |= lanesWith(bits) << index;
}

// MARK: Tokens

/// Bytes outside of strings; `strings` are where those begin.
typedef struct {
  Bits outside, inside, strings, space, lineFeeds, opening, closing, curly, colons, commas;
} Tokens;

INLINE Tokens findTokens(bool isLines, Planes p, Bits escaped, CJSONCarry *carry) {
  Bits quoted = quotes(p) & ~escaped, inside = prefixXor(quoted, &carry->inString), outside = ~(quoted | inside);
  Bits feeds = isLines ? lineFeeds(p) & outside : outside & ~outside;
  Bits bracket = brackets(p) & outside;
  return (Tokens){
    .outside = outside, .inside = inside, .strings = quoted & inside,
    .space = space(p) & outside & ~feeds, .lineFeeds = feeds,
    .opening = bracket & p.bit1, .closing = bracket & ~p.bit1, .curly = p.bit5,
    .colons = colons(p) & outside, .commas = commas(p) & outside,
  };
}

INLINE Scalars findScalars(Planes p, Tokens t, CJSONCarry *carry) {
  Bits all = t.outside & ~(t.space | t.lineFeeds | t.opening | t.closing | t.colons | t.commas);
  return (Scalars){
    .all = all, .starts = all & ~next(all, &carry->inScalar),
    .digits = all & digits(p), .points = all & points(p), .letters = all & (p.bit6 | p.bit7),
  };
}

/// Each token has to follow one that it may follow. Sets what the second stage has to know.
INLINE Bits checkTokens(bool isLines, Tokens t, Bits scalarStarts, size_t index, CJSONCarry *carry, uint64_t *masks) {
  Bits afterOpening = follow(t.opening, t.space, &carry->afterOpening);
  Bits afterColonOrComma = follow(t.colons | t.commas, t.space, &carry->afterColonOrComma);
  Bits afterCurlyOrComma = follow((t.opening & t.curly) | t.commas, t.space, &carry->afterCurlyOrComma);
  // A string there is a key in an object, and then a colon follows.
  Bits keyEnds = runEnds(t.strings & afterCurlyOrComma, t.inside, &carry->inKey);
  Bits afterKey = follow(keyEnds, t.space, &carry->afterKey);
  Bits afterLineFeed = isLines ? follow(t.lineFeeds, t.space, &carry->afterLineFeed) : t.lineFeeds;

  Bits others = t.opening | scalarStarts;
  Bits within = afterOpening | afterColonOrComma, expected = within | afterLineFeed;
  put(~(t.space | (t.lineFeeds & afterLineFeed)), &masks[CJSONKept * CJSONWindow + index]);
  tell(CJSONBrackets, t.opening | t.closing, index, masks);
  put(t.opening, &masks[CJSONOpening * CJSONWindow + index]);
  put(t.curly, &masks[CJSONCurly * CJSONWindow + index]);
  tell(CJSONCommas, t.commas, index, masks);
  tell(CJSONColons, t.colons, index, masks);
  tell(CJSONElements, (afterCurlyOrComma & others) | (afterKey & ~t.colons), index, masks);
  tell(CJSONLineFeeds, t.lineFeeds & ~afterLineFeed, index, masks);
  return ((others | t.strings) & ~expected) | ((t.colons | t.commas) & expected) |
         (t.closing & (afterColonOrComma | afterLineFeed)) | (t.colons & ~afterKey) | (t.lineFeeds & within);
}

// MARK: Windows

/// Whether nothing is wrong in a group, but for words that are none.
INLINE bool checkGroup(bool isLines, size_t index, Scan *scan, CJSONCarry *carry, uint64_t *masks) {
  Planes planes = planesAt(&scan->window, (long)index);
  Bits escaped, wrong = checkEscapes(planes, &escaped, carry) | checkUTF8(&scan->window, (long)index, planes);
  Tokens tokens = findTokens(isLines, planes, escaped, carry);
  Scalars scalars = findScalars(planes, tokens, carry);
  put(scalars.starts & scalars.letters, &scan->words[index]);
  scan->notPlain |= controls(planes) | planes.bit7;
  wrong |= (controls(planes) & tokens.inside) | checkNumbers(planes, scalars, carry);
  return !isAny(wrong | checkTokens(isLines, tokens, scalars.starts, index, carry, masks));
}

INLINE size_t scanBlocks(
    bool isLines, CJSONCarry *shared, const uint8_t *input, size_t count, uint8_t *output, uint64_t *masks) {
  CJSONCarry carry = *shared;
  Scan scan;
  scan.notPlain = (Bits){0};
  readWindow(input, count, &scan.window, carry.before);
  for (int kind = 0; kind < CJSONBlocks; kind++) masks[CJSONBlocks * CJSONWindow + kind] = 0;
  size_t checked = 0, right = 0;
  while (checked < count && checkGroup(isLines, checked, &scan, &carry, masks)) checked += lanes;
  while (right < checked && areWords(input + 64 * right, scan.words[right])) right++;
  right &= ~(size_t)(lanes - 1);
  for (int bit = 0; bit < 8; bit++) carry.before[bit] = scan.window.masks[bit][planeLead + count - 1];
  carry.isNotPlain |= isAny(scan.notPlain);
  for (size_t index = 0; index < right; index++) {
    masks[CJSONWritten * CJSONWindow + index] = carry.written;
    carry.written += compact(input + 64 * index, masks[CJSONKept * CJSONWindow + index], output + carry.written);
  }
  *shared = carry;
  return right;
}

// MARK: Lines

/// How many bytes of `count` blocks are line feeds, and how many continue a UTF-8 sequence.
INLINE void countBlocks(const uint8_t *input, size_t count, uint64_t *lineFeeds, uint64_t *continuations) {
  for (; count; count--, input += 64) {
    Bytes bytes = load(input);
    *lineFeeds += bitCount(equals(bytes, '\n'));
    uint64_t high = isHigh(bytes);
    if (high) *continuations += bitCount(high & below(bytes, 0xC0));
  }
}
