// The first stage of the JSON pass, 64 bytes at a time. `Blocks.h` explains the technique.

#ifndef CJSONTEXT_H
#define CJSONTEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// A block has 64 bytes.
///
/// A scan reads groups of 8 blocks, and at most 32 blocks, so that all masks of a window stay in the nearest
/// cache.
enum { CJSONGroup = 8, CJSONWindow = 32 };

/// Masks of a window's blocks for the walk, bit i for byte i.
///
/// Bytes in strings are never marked. The masks of a kind are adjacent: the mask of a block has the index
/// `kind * CJSONWindow + block`.
enum {
  /// Kept bytes: all except insignificant white space.
  CJSONKept,
  /// All brackets; the opening ones; and the curly ones (bits of other bytes are undefined).
  CJSONBrackets,
  CJSONOpening,
  CJSONCurly,
  CJSONCommas,
  /// Only an object's members have colons.
  CJSONColons,
  /// Tokens that an object does not allow: no string after `{` or a comma, or no colon after such a string.
  CJSONElements,
  /// NDJSON only: line feeds that end a record.
  CJSONLineFeeds,
  /// Set by the walk: tokens deeper than the token index, and the brackets that lead there.
  CJSONDeep,
  /// No mask: number of bytes kept of the blocks before, since the scan began.
  CJSONWritten,
  /// Masks of blocks, not of bytes: at the index of a kind, the blocks that have bits of that kind.
  CJSONBlocks,
  CJSONKinds
};

/// Carry from a block to the next one: mostly, that its last byte was a certain token, or inside one.
typedef struct {
  // The next token. A caller that begins in the middle of a text sets one.
  uint64_t afterOpening, afterColonOrComma, afterCurlyOrComma, afterKey, afterLineFeed;

  uint64_t inString, afterBackslash, hexDigits, inKey;
  uint64_t continuations, afterLowLead, afterEdgeLead, afterLead4;
  uint64_t inScalar, inLetters, inInteger, afterPoint, afterZero, afterMinus, afterMark, afterSign, inExponent;
  /// Not zero if there were control characters or non-ASCII bytes; number of bytes kept.
  uint64_t isNotPlain, written;
} CJSONCarry;

/// Instruction sets that the first stage was written for; one of them is the machine's best.
enum { CJSONPortable, CJSONSSE2, CJSONAVX2, CJSONAVX512, CJSONNEON };
int cjson_best(void);
int cjson_supports(int kernel);

/// Reads `count` blocks (whole groups, at most a window), and appends their kept bytes to the output.
///
/// Stops before a group with an error, and returns the number of valid blocks.
///
/// Up to 32 bytes after the last block must be readable, and 64 bytes after the end of the output writable. Output
/// after a group with an error is undefined.
size_t cjson_scan(
  int kernel, int isLines, CJSONCarry *carry, const uint8_t *input, size_t count, uint8_t *output, uint64_t *masks);

/// State of the second stage.
///
/// `kinds` has a bit for each open container, set for objects, the innermost lowest; `depth` is their number. `rest`
/// has the bits of the block that were not walked.
typedef struct {
  uint64_t kinds, rest;
  long depth, lowest, highest;
  /// Depth of the records.
  ///
  /// `separators` is the kind of mask that ends them; `strays` must not occur between them.
  long floor, separators, strays;
  /// Deeper tokens are marked in masks that were 0 (`CJSONDeep`).
  ///
  /// None are marked if that depth can't be reached.
  long deepest;
  /// Output of the scan.
  ///
  /// A line feed replaces each separator.
  uint8_t *output;
  /// Number of records that ended, and the end of the last one in the output and in the window.
  long records, complete, lineStart;
} CJSONWalk;

/// Walks over valid blocks from `block` up to `count`.
///
/// The depth must stay from `lowest` to below `highest`, or at `floor`. The walk stops before the bracket that closes
/// the container of the records. Returns the block in which the walk ended, with the bits left in `rest`, or `count`.
long cjson_walk(int kernel, CJSONWalk *walk, uint64_t *masks, long block, long count);

/// Number of offsets that must be writable after 64 offsets for each block.
enum { CJSONPlacesSlack = 16 };

/// Writes the output offsets of the brackets, commas, colons and line feeds of `count` blocks, in their order.
///
/// Tokens that are marked as deep are left out. Returns the number of offsets, at most 64 a block.
///
/// - Parameter base: the offset of the first byte that the scan wrote. No offset may exceed 4 GB.
long cjson_places(int kernel, const uint64_t *masks, long count, uint32_t base, uint32_t *places);

/// Adds the number of line feeds, and of UTF-8 continuation bytes, which begin no scalar, of `count` blocks.
void cjson_count(int kernel, const uint8_t *input, size_t count, uint64_t *lineFeeds, uint64_t *continuations);

/// Longest name that `cjson_find` looks for; and an offset that no value has.
enum { CJSONFindMost = 60 };
#define CJSONUnknown UINT64_MAX

/// Finds a member in the records of whole compact lines, from the record at `start` on.
///
/// For each record, at most `most`, it writes two numbers: the offset of the line feed, and that of the member's value.
/// The second one is 0 if the record has no such member. It is `CJSONUnknown` where this search can't tell: the line is no
/// object, the member is there twice, or a name may be spelled with `\u00…`. Returns the number of records; 0 for the
/// portable kernel.
///
/// - Parameters:
///   - name: the name without quotes, of 1 to `CJSONFindMost` bytes that JSON spells as they are.
///   - length: its length.
size_t cjson_find(
  int kernel, const uint8_t *text, size_t count, size_t start, const uint8_t *name, size_t length, uint64_t *found,
  size_t most);

/// Finds where the text has `"` or `@` before two letters of the tables: there a member may have one of some names.
///
/// Letters are compared by their lower four bits, so that other bytes may look alike. Writes the offsets from `start` on,
/// at most `most`, moves `start` behind what was searched, and returns their number.
///
/// - Parameters:
///   - letters: two tables of 16 bytes, for the first and the second letter. Each bit stands for a pair of letters.
///   - most: at least 512.
size_t cjson_hints(
  int kernel, const uint8_t *text, size_t count, size_t *start, const uint8_t *letters, uint64_t *found, size_t most);

/// Returns the first offset from `start` on that has a line feed, or `end`.
static inline size_t cjson_line_feed(const uint8_t *text, size_t start, size_t end) {
  const uint8_t *found = start < end ? (const uint8_t *)memchr(text + start, '\n', end - start) : NULL;
  return found ? (size_t)(found - text) : end;
}

/// Asks for the memory at an address, so that a later read does not wait for it.
static inline void cjson_prefetch(const void *address) { __builtin_prefetch(address); }

#endif
