// The technique: 64 bytes of JSON text at once, and what is asked of them answered by arithmetic instead of branches.
//
// A block of 64 bytes becomes one 64-bit mask a class of bytes, bit i for byte i. What a parser asks byte by byte, masks
// answer for all of them by shifts and sums:
//
// - Strings: the parity of the quotes before a byte tells whether it is in one (`prefixXor`). Backslashes are paired by
//   a subtraction. Both are from Langdale and Lemire, "Parsing Gigabytes of JSON per Second" (arXiv 1902.08318), whose
//   simdjson is the peer. UTF-8 is checked as in Keiser and Lemire, "Validating UTF-8 In Less Than One Instruction Per
//   Byte" (arXiv 2010.03090).
// - Runs: a bit added to the mask of a run that it begins comes out where the run ends. `follow` finds so what stands
//   after a token and any white space, `runEnds` where the digits of a number end.
// - Grammar: each token has to follow one that it may follow (`checkTokens`). Whether a bracket fits its other half, and
//   whether elements stand in an array and members in an object, depends on all that is open. That alone is left to
//   the second stage, which walks the brackets: `colons` and `elements` tell it what stands between two of them.
// - Numbers: every part has to begin where the one before it ends (`checkNumbers`).
//
// The masks of as many blocks as fit a register are one long number (`Bits`), so that one instruction moves or adds
// all of them; what goes over its end is carried to the next one. White space is dropped at last; the second stage
// finds a place in the output by counting `kept` bits.
//
// What is wrong is only found, never named: the portable pass reads the text again and says what it is. So a check may
// find it too early, but never in a later group than the byte at which the portable pass says it is.
//
// A file includes this once it has said what its instructions can do: with 64 bytes (`Bytes`)
//   load equals equalsFolded below isHigh bit5 digits space escapeLetters hexDigits wrongUTF8 compact bitCount
// and with `lanes` blocks' masks (`Bits`)
//   lanesWith prefixXor next runEnds

#include "CJSONText.h"

// MARK: Strings

/// Bytes that a backslash stands before which is none of these bytes itself.
INLINE uint64_t findEscaped(uint64_t backslashes, uint64_t *carry) {
  const uint64_t odd = 0xAAAAAAAAAAAAAAAA;
  uint64_t begun = backslashes & ~*carry;
  uint64_t codes = (((begun << 1) | odd) - begun) ^ odd;
  uint64_t escaped = codes ^ (backslashes | *carry);
  *carry = (codes & backslashes) >> 63;
  return escaped;
}

/// RFC 8259 §7: the letters after backslashes, and four digits after each `u`.
INLINE uint64_t checkEscapes(Bytes bytes, uint64_t escaped, CJSONCarry *carry) {
  uint64_t units = equals(bytes, 'u') & escaped;
  uint64_t wanted = units << 1 | units << 2 | units << 3 | units << 4 | carry->hexDigits;
  carry->hexDigits = units >> 63 | units >> 62 | units >> 61 | units >> 60;
  uint64_t wrong = escaped & ~escapeLetters(bytes);
  return wrong | (wanted & ~hexDigits(bytes));
}

INLINE uint64_t checkUTF8(const uint8_t *input, uint64_t high, CJSONCarry *carry) {
  if (!high) {
    uint64_t wrong = carry->inSequence;
    carry->inSequence = 0;
    return wrong;
  }
  carry->inSequence = input[63] >= 0xC0 || input[62] >= 0xE0 || input[61] >= 0xF0;
  return wrongUTF8(input);
}

// MARK: Classes

/// The masks of a window's blocks, in strings too.
typedef struct {
  /// Quotes that no backslash makes part of a string.
  uint64_t quotes[CJSONWindow];
  uint64_t controls[CJSONWindow], space[CJSONWindow], lineFeeds[CJSONWindow];
  uint64_t opening[CJSONWindow], closing[CJSONWindow], curly[CJSONWindow], colons[CJSONWindow], commas[CJSONWindow];
  uint64_t digits[CJSONWindow], zeros[CJSONWindow], points[CJSONWindow];
  uint64_t wrong[CJSONWindow];
} Classes;

INLINE void classify(bool isLines, const uint8_t *input, size_t index, Classes *classes, CJSONCarry *carry) {
  __builtin_prefetch(input + 4096);
  Bytes bytes = load(input);
  uint64_t escaped = findEscaped(equals(bytes, '\\'), &carry->afterBackslash);
  uint64_t controls = below(bytes, 0x20), high = isHigh(bytes);
  uint64_t wrong = checkUTF8(input, high, carry);
  if (escaped | carry->hexDigits) wrong |= checkEscapes(bytes, escaped, carry);
  carry->isNotPlain |= controls | high;
  classes->quotes[index] = equals(bytes, '"') & ~escaped;
  classes->controls[index] = controls;
  classes->space[index] = space(bytes);
  if (isLines) classes->lineFeeds[index] = equals(bytes, '\n');
  classes->opening[index] = equalsFolded(bytes, '{');
  classes->closing[index] = equalsFolded(bytes, '}');
  classes->curly[index] = bit5(bytes);
  classes->colons[index] = equals(bytes, ':');
  classes->commas[index] = equals(bytes, ',');
  classes->digits[index] = digits(bytes);
  classes->zeros[index] = equals(bytes, '0');
  classes->points[index] = equals(bytes, '.');
  classes->wrong[index] = wrong;
}

/// As many masks as there are lanes.
INLINE Bits get(const uint64_t *masks) {
  Bits bits;
  __builtin_memcpy(&bits, masks, sizeof bits);
  return bits;
}

INLINE void put(Bits bits, uint64_t *masks) { __builtin_memcpy(masks, &bits, sizeof bits); }

INLINE bool isAny(Bits bits) { return lanesWith(bits) != 0; }

/// For the second stage: the masks of a kind, and which blocks have any of it.
INLINE void tell(int kind, Bits bits, size_t index, uint64_t *masks) {
  put(bits, &masks[kind * CJSONWindow + index]);
  masks[CJSONBlocks * CJSONWindow + kind] |= lanesWith(bits) << index;
}

// MARK: Scalars

/// As memory holds it, the first letter lowest.
#define WORD(A, B, C, D) ((uint32_t)(A) | (uint32_t)(B) << 8 | (uint32_t)(C) << 16 | (uint32_t)(D) << 24)

/// The bytes of `true`, `false` and `null` that begin at `starts`; those that lie in the next block are carried.
INLINE uint64_t findLiterals(const uint8_t *input, uint64_t starts, CJSONCarry *carry) {
  uint64_t found = carry->inLiteral;
  carry->inLiteral = 0;
  for (; starts; starts &= starts - 1) {
    unsigned place = (unsigned)__builtin_ctzll(starts);
    uint32_t word;
    __builtin_memcpy(&word, input + place, 4);
    bool isFalse = word == WORD('f', 'a', 'l', 's') && input[place + 4] == 'e';
    if (!isFalse && word != WORD('t', 'r', 'u', 'e') && word != WORD('n', 'u', 'l', 'l')) continue;
    uint64_t bytes = isFalse ? 31 : 15;
    found |= bytes << place;
    if (place > 59) carry->inLiteral = bytes >> (64 - place);
  }
  return found;
}

INLINE Bits findAllLiterals(const uint8_t *input, Bits starts, CJSONCarry *carry) {
  uint64_t places[lanes], found[lanes];
  put(starts, places);
  for (int lane = 0; lane < lanes; lane++) found[lane] = findLiterals(input + 64 * lane, places[lane], carry);
  return get(found);
}

/// RFC 8259 §6, of numbers with signs or exponents. `starts` and `digit` are those of numbers, `rest` all else in them.
INLINE Bits checkSignsAndExponents(
    const uint8_t *input, Bits starts, Bits digit, Bits rest, Bits *afterMinus, CJSONCarry *carry) {
  uint64_t minusMasks[lanes], plusMasks[lanes], markMasks[lanes];
  for (int lane = 0; lane < lanes; lane++) {
    Bytes bytes = load(input + 64 * lane);
    minusMasks[lane] = equals(bytes, '-');
    plusMasks[lane] = equals(bytes, '+');
    markMasks[lane] = equalsFolded(bytes, 'e');
  }
  Bits minus = get(minusMasks) & rest, mark = get(markMasks) & rest, sign = minus | (get(plusMasks) & rest);
  *afterMinus = next(starts & minus, &carry->afterMinus);
  Bits afterMark = next(mark, &carry->afterMark), exponentSigns = afterMark & sign;
  Bits exponents = (afterMark & ~sign) | next(exponentSigns, &carry->afterSign);
  Bits exponentEnds = runEnds(exponents & digit, digit, &carry->inExponent);
  return (rest & ~(mark | sign)) | ((exponents | *afterMinus) & ~digit) | (mark & (exponentEnds | starts)) |
         (sign & ~(exponentSigns | (starts & minus)));
}

/// RFC 8259 §6. `numbers` are all bytes of scalars that are no literals, and `scalarStarts` where they may begin.
INLINE Bits checkNumbers(
    const uint8_t *input, const Classes *classes, size_t index, Bits numbers, Bits scalarStarts, CJSONCarry *carry) {
  Bits digit = get(&classes->digits[index]) & numbers, point = get(&classes->points[index]) & numbers;
  Bits rest = numbers & ~(digit | point);
  Bits starts = numbers & ~next(numbers, &carry->inNumber);
  Bits wrong = starts & ~scalarStarts, afterMinus = {0};
  bool wasInRest = carry->afterMinus | carry->afterMark | carry->afterSign | carry->inExponent;
  if (wasInRest || isAny(rest))
    wrong |= checkSignsAndExponents(input, starts, digit, rest, &afterMinus, carry);

  Bits integers = (starts & digit) | (afterMinus & digit);
  Bits integerEnds = runEnds(integers, digit, &carry->inInteger);
  Bits afterPoint = next(point, &carry->afterPoint);
  Bits afterZero = next(integers & get(&classes->zeros[index]), &carry->afterZero);
  return wrong | (point & ~integerEnds) | (afterPoint & ~digit) | (afterZero & digit);
}

INLINE Bits checkScalars(
    const uint8_t *input, const Classes *classes, size_t index, Bits scalars, Bits starts, CJSONCarry *carry) {
  Bits others = starts & ~get(&classes->digits[index]), literals = {0};
  if (carry->inLiteral || isAny(others)) literals = findAllLiterals(input, others, carry);
  return checkNumbers(input, classes, index, scalars & ~literals, starts, carry);
}

// MARK: Tokens

/// The places of what comes after the tokens and white space.
INLINE Bits follow(Bits tokens, Bits space, uint64_t *carry, uint64_t *inSpace) {
  return runEnds(next(tokens, carry), space, inSpace);
}

/// Each token has to follow one that it may follow. Sets what the second stage has to know.
INLINE Bits checkGroup(
    bool isLines, const uint8_t *input, const Classes *classes, size_t index, CJSONCarry *carry, uint64_t *masks) {
  Bits quotes = get(&classes->quotes[index]);
  Bits inside = prefixXor(quotes, &carry->inString);
  Bits stringStarts = quotes & inside, outside = ~(quotes | inside);

  Bits space = get(&classes->space[index]) & outside, lineFeeds = {0};
  if (isLines) {
    lineFeeds = get(&classes->lineFeeds[index]) & outside;
    space &= ~lineFeeds;
  }
  Bits opening = get(&classes->opening[index]) & outside, closing = get(&classes->closing[index]) & outside;
  Bits colons = get(&classes->colons[index]) & outside, commas = get(&classes->commas[index]) & outside;
  Bits curly = get(&classes->curly[index]);
  Bits scalars = outside & ~(space | lineFeeds | opening | closing | colons | commas);
  Bits wrong = get(&classes->wrong[index]) | (get(&classes->controls[index]) & inside);

  uint64_t wasInScalar = carry->inScalar;
  Bits scalarStarts = scalars & ~next(scalars, &carry->inScalar);
  if (wasInScalar || isAny(scalars)) wrong |= checkScalars(input, classes, index, scalars, scalarStarts, carry);

  Bits afterOpening = follow(opening, space, &carry->afterOpening, &carry->inSpace[0]);
  Bits afterColonOrComma = follow(colons | commas, space, &carry->afterColonOrComma, &carry->inSpace[1]);
  Bits afterCurlyOrComma = follow((opening & curly) | commas, space, &carry->afterCurlyOrComma, &carry->inSpace[2]);
  // A string there is a key in an object, and then a colon follows.
  Bits keyEnds = runEnds(stringStarts & afterCurlyOrComma, inside, &carry->inKey);
  Bits afterKey = follow(keyEnds, space, &carry->afterKey, &carry->inSpace[3]), afterLineFeed = {0};
  if (isLines) afterLineFeed = follow(lineFeeds, space, &carry->afterLineFeed, &carry->inSpace[4]);

  Bits others = opening | scalarStarts;
  Bits within = afterOpening | afterColonOrComma, expected = within | afterLineFeed;
  put(~(space | (lineFeeds & afterLineFeed)), &masks[CJSONKept * CJSONWindow + index]);
  tell(CJSONBrackets, opening | closing, index, masks);
  put(opening, &masks[CJSONOpening * CJSONWindow + index]);
  put(curly, &masks[CJSONCurly * CJSONWindow + index]);
  tell(CJSONCommas, commas, index, masks);
  tell(CJSONColons, colons, index, masks);
  tell(CJSONElements, (afterCurlyOrComma & others) | (afterKey & ~colons), index, masks);
  tell(CJSONLineFeeds, lineFeeds & ~afterLineFeed, index, masks);
  return wrong | ((others | stringStarts) & ~expected) | ((colons | commas) & expected) |
         (closing & (afterColonOrComma | afterLineFeed)) | (colons & ~afterKey) | (lineFeeds & within);
}

INLINE size_t scanBlocks(
    bool isLines, CJSONCarry *shared, const uint8_t *input, size_t count, uint8_t *output, uint64_t *masks) {
  CJSONCarry carry = *shared;
  Classes classes;
  for (size_t index = 0; index < count; index++) classify(isLines, input + 64 * index, index, &classes, &carry);
  for (int kind = 0; kind < CJSONBlocks; kind++) masks[CJSONBlocks * CJSONWindow + kind] = 0;
  size_t right = 0;
  for (; right < count; right += lanes) {
    if (isAny(checkGroup(isLines, input + 64 * right, &classes, right, &carry, masks))) break;
  }
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
