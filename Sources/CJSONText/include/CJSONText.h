// The first stage of the JSON pass, 64 bytes at a time. `Blocks.h` explains the technique.

#ifndef CJSONTEXT_H
#define CJSONTEXT_H

#include <stddef.h>
#include <stdint.h>

/// A block has 64 bytes; they are looked at in groups of 8 blocks, and at most 32 blocks a scan: so all masks of a
/// window stay in the nearest cache.
enum { CJSONGroup = 8, CJSONWindow = 32 };

/// What the walk has to know of the blocks of a window: one mask each, bit i for byte i. Nothing in strings is marked.
/// Masks of a kind stand together: that of a block has the index `kind * CJSONWindow + block`.
enum {
  /// Bytes that stay: all but insignificant white space.
  CJSONKept,
  /// All brackets; those that open; and which bracket is curly (of other bytes it says nothing).
  CJSONBrackets,
  CJSONOpening,
  CJSONCurly,
  CJSONCommas,
  /// Only an object's members have them.
  CJSONColons,
  /// What comes after something that stands only between an array's elements, or before its first one.
  CJSONElements,
  /// Of NDJSON: those that end a record.
  CJSONLineFeeds,
  /// What the walk marks: all that stands deeper than places are wanted of, and the brackets that lead there.
  CJSONDeep,
  /// No mask: bytes that stayed of the blocks before, since the scan began.
  CJSONWritten,
  /// No masks of bytes but of blocks: at the place of a kind, the blocks that have any of it.
  CJSONBlocks,
  CJSONKinds
};

/// What a block leaves to the next one: mostly whether its last byte was, or is inside, something.
typedef struct {
  // What must come next. Set by who begins in the middle of a text.
  uint64_t afterOpening, afterColonOrComma, afterCurlyOrComma, afterKey, afterLineFeed;

  uint64_t inString, afterBackslash, hexDigits, inKey;
  uint64_t continuations, afterLowLead, afterEdgeLead, afterLead4;
  uint64_t inScalar, inLetters, inInteger, afterPoint, afterZero, afterMinus, afterMark, afterSign, inExponent;
  /// Whether there were control characters or bytes beyond ASCII; bytes that stayed.
  uint64_t isNotPlain, written;
} CJSONCarry;

/// Sets of instructions that the first stage was written for; one of them is the machine's best.
enum { CJSONPortable, CJSONSSE2, CJSONAVX2, CJSONAVX512, CJSONNEON };
int cjson_best(void);
int cjson_supports(int kernel);

/// Looks at `count` blocks (whole groups, a window at most), writes what stays of them to the output behind what was
/// written, and stops before a group in which something is wrong. Gives how many blocks were right.
///
/// Up to 32 bytes behind the last block memory must be readable; behind the end of the output, 64 bytes writable. What
/// was written behind a group that is wrong says nothing.
size_t cjson_scan(
  int kernel, int isLines, CJSONCarry *carry, const uint8_t *input, size_t count, uint8_t *output, uint64_t *masks);

/// The second stage where it needs no more than this: what is open (a bit each, set for objects, the innermost lowest;
/// how many are), and the bits of the block that were not walked.
typedef struct {
  uint64_t kinds, rest;
  long depth, lowest, highest;
  /// Records stand at this depth. There a kind of mask says where they end, and one what may not stand between them.
  long floor, separators, strays;
  /// What stands deeper is marked, in masks that were 0 (`CJSONDeep`); nothing is where that can't be reached.
  long deepest;
  /// The output of the scan. A line feed takes the place of each separator.
  uint8_t *output;
  /// How many records ended; where the last one did in the output, and in the window.
  long records, complete, lineStart;
} CJSONWalk;

/// Goes over blocks from `block` up to `count` as long as all is right and the depth is `lowest` at least and below
/// `highest`, or is `floor`, but not over the bracket that closes what has the records. Gives the block in which it
/// ended, `rest` being what was not walked, or `count`.
long cjson_walk(int kernel, CJSONWalk *walk, uint64_t *masks, long block, long count);

/// Behind so many places for each block as it has bytes, as many more must be writable.
enum { CJSONPlacesSlack = 16 };

/// Writes where in the output the brackets, commas, colons and line feeds of `count` blocks stand that are not marked as
/// deep, in their order. Gives how many they are: 64 a block at most.
///
/// - Parameter base: the place of the first byte that the scan wrote. No place may lie beyond 4 GB.
long cjson_places(int kernel, const uint64_t *masks, long count, uint32_t base, uint32_t *places);

/// Adds the line feeds, and the bytes that do not begin a scalar (UTF-8 continuation bytes), of `count` blocks.
void cjson_count(int kernel, const uint8_t *input, size_t count, uint64_t *lineFeeds, uint64_t *continuations);

#endif
