// Finds one member of each record of compact lines, for a condition that reads nothing else.
//
// In compact text a name with its quotes and its colon, after `{` or a comma, is a name: inside a string the quotes would
// have backslashes. So a search of the text for `"name":` finds each candidate. Brackets before it decide whether it is
// a member of the record itself.
//
// Needs `Row`, a vector of bytes, and `bitsOf`, which returns a mask of the bytes of a block's rows that are all ones.

enum {
  /// Bytes after a block that the comparison reads: a name and its colon.
  findSlack = CJSONFindMost + 3,
  /// Blocks that are searched before any place in them is looked at.
  findBlocks = 16,
  rowCount = 64 / sizeof(Row),
};

/// A lane for each byte of a block: all ones where a test holds, otherwise zeros.
///
/// Lanes are joined before bits are made of them, so that a block takes one mask.
typedef struct {
  Row row[rowCount];
} Lanes;

/// Evaluates an expression for each `row` of the block at a place.
#define LANES(INPUT, OF_ROW)                                                                        \
  ({                                                                                                \
    Lanes made;                                                                                     \
    for (size_t i = 0; i < rowCount; i++) {                                                         \
      Row row;                                                                                      \
      memcpy(&row, (INPUT) + sizeof row * i, sizeof row);                                           \
      made.row[i] = (Row)(OF_ROW);                                                                  \
    }                                                                                               \
    made;                                                                                           \
  })

INLINE Lanes both(Lanes a, Lanes b) {
  for (size_t i = 0; i < rowCount; i++) a.row[i] &= b.row[i];
  return a;
}

INLINE Lanes either(Lanes a, Lanes b) {
  for (size_t i = 0; i < rowCount; i++) a.row[i] |= b.row[i];
  return a;
}

/// Returns the lanes of the bytes that have this value.
INLINE Lanes same(const uint8_t *input, uint8_t byte) { return LANES(input, row == byte); }

INLINE uint64_t equal(const uint8_t *input, uint8_t byte) { return bitsOf(same(input, byte).row); }

/// Returns the mask of the brackets, in strings too: square and curly ones differ in one bit.
INLINE uint64_t anyBracket(const uint8_t *input) {
  return bitsOf(LANES(input, ((row | 0x20) == '{') | ((row | 0x20) == '}')).row);
}

/// Returns the bytes that a backslash escapes (Langdale and Lemire, arXiv 1902.08318, §3.1.1).
INLINE uint64_t escapedBytes(uint64_t backslashes, uint64_t *carry) {
  const uint64_t even = 0x5555555555555555;
  backslashes &= ~*carry;
  uint64_t follows = backslashes << 1 | *carry, sum;
  uint64_t oddStarts = backslashes & ~even & ~follows;
  *carry = __builtin_add_overflow(oddStarts, backslashes, &sum);
  return (even ^ (sum << 1)) & follows;
}

/// The record whose end is not found yet.
typedef struct {
  const uint8_t *text, *name;
  size_t count, length, start, value;
  /// The first eight bytes of the name, or all of a shorter one, and a mask of that many bytes.
  uint64_t word, mask;
  /// A place outside of strings, and its depth.
  size_t known;
  long depth;
  /// The last place of the name, whose depth is not known yet; 0 if there is none.
  size_t last;
} Finding;

/// Returns the 64 bytes at a place, with zeros after the text.
INLINE const uint8_t *blockAt(const Finding *finding, size_t place, uint8_t *buffer) {
  if (finding->count - place >= 64) return finding->text + place;
  memset(buffer, 0, 64);
  return memcpy(buffer, finding->text + place, finding->count - place);
}

/// Returns the mask of the first bytes of a block.
INLINE uint64_t before(size_t count) { return count < 64 ? ((uint64_t)1 << count) - 1 : ~(uint64_t)0; }

/// Returns how much deeper `place` is than `from`, both outside of strings.
INLINE long depthBetween(const Finding *finding, size_t from, size_t place) {
  long depth = 0;
  size_t start = from;
  uint64_t inString = 0, carry = 0;
  uint8_t buffer[64];
  // Most texts have no bracket here, so that strings don't matter.
  for (; start < place; start += 64) {
    if (anyBracket(blockAt(finding, start, buffer)) & before(place - start)) break;
  }
  if (start >= place) return 0;
  for (start = from; start < place; start += 64) {
    const uint8_t *bytes = blockAt(finding, start, buffer);
    uint64_t quotes = equal(bytes, '"'), backslashes = equal(bytes, '\\');
    if (backslashes | carry) quotes &= ~escapedBytes(backslashes, &carry);
    uint64_t counted = before(place - start);
    uint64_t opening = (equal(bytes, '{') | equal(bytes, '[')) & counted;
    uint64_t closing = (equal(bytes, '}') | equal(bytes, ']')) & counted;
    if (opening | closing) {
      uint64_t inside = quotes;
      for (int shift = 1; shift < 64; shift *= 2) inside ^= inside << shift;
      inside ^= inString;
      depth += __builtin_popcountll(opening & ~inside);
      depth -= __builtin_popcountll(closing & ~inside);
    }
    if (__builtin_popcountll(quotes) % 2) inString = ~inString;
  }
  return depth;
}

/// Reports that the name stands at a place, where quotes surround as many bytes.
INLINE bool hasName(const Finding *finding, size_t place) {
  uint64_t word;
  if (finding->length > sizeof word || finding->count - place < sizeof word) {
    return !memcmp(finding->text + place, finding->name, finding->length);
  }
  memcpy(&word, finding->text + place, sizeof word);
  return (word & finding->mask) == finding->word;
}

/// Decides by its depth whether the name's last place is a member of the record itself.
///
/// It counts the brackets before the place, or those from there to the record's own bracket if that is nearer.
INLINE void decide(Finding *finding, size_t end) {
  size_t place = finding->last;
  if (!place || finding->value == CJSONUnknown) return;
  if (end - place < place - finding->known) {
    finding->depth = 1 - depthBetween(finding, place, end - 1);
  } else {
    finding->depth += depthBetween(finding, finding->known, place);
  }
  finding->known = place;
  finding->last = 0;
  if (finding->depth == 1) finding->value = finding->value ? CJSONUnknown : place + finding->length + 3;
}

/// Looks at a letter, which may begin the name.
INLINE void lookAtLetter(Finding *finding, size_t letter) {
  const uint8_t *text = finding->text;
  if (letter + finding->length + 2 > finding->count || letter < finding->start + 2) return;
  size_t place = letter - 1;
  if (text[place] != '"') return;
  if (text[place - 1] != '{' && text[place - 1] != ',') return;
  if (text[place + finding->length + 1] != '"' || text[place + finding->length + 2] != ':') return;
  if (!hasName(finding, place + 1)) return;
  decide(finding, SIZE_MAX);
  finding->last = place;
}

INLINE int hexDigit(uint8_t byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  byte |= 0x20;
  return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : 0;
}

/// Looks at a backslash, which may begin an escape of a letter of the name: `\u0061`.
INLINE void lookAtBackslash(Finding *finding, size_t place) {
  const uint8_t *text = finding->text;
  if (place + 5 >= finding->count || text[place + 1] != 'u' || text[place + 2] != '0' || text[place + 3] != '0') return;
  if (text[place + 4] > '7') return;
  int letter = 16 * hexDigit(text[place + 4]) + hexDigit(text[place + 5]);
  if (memchr(finding->name, letter, finding->length)) finding->value = CJSONUnknown;
}

/// Begins a record. After its own bracket, of an object as of a list, the depth is 1.
INLINE void enter(Finding *finding, size_t start) {
  finding->start = start;
  finding->known = start + 1;
  finding->depth = 1;
  finding->value = finding->last = 0;
}

INLINE size_t endRecord(Finding *finding, size_t end, uint64_t *found) {
  decide(finding, end);
  found[0] = end;
  found[1] = finding->text[finding->start] == '{' ? finding->value : CJSONUnknown;
  enter(finding, end + 1);
  return 1;
}

/// Returns the mask of the bytes to look at: line feeds, and bytes where the name or an escape of one of its letters may
/// begin.
///
/// The quote before the name is not needed here: few other places have its first letter and, so many bytes later, a colon.
/// Of an escape, too, two bytes are enough. The name has printable ASCII letters: an escape of one begins with two zeros.
INLINE uint64_t interesting(const uint8_t *bytes, uint8_t letter, size_t length) {
  Lanes names = both(same(bytes, letter), same(bytes + length + 1, ':'));
  Lanes escapes = both(same(bytes, '\\'), same(bytes + 3, '0'));
  return bitsOf(either(either(same(bytes, '\n'), names), escapes).row);
}

/// Writes the places of the bits, and returns their number.
///
/// Most blocks have at most one. One is always written, without a branch.
INLINE size_t writeFew(uint64_t bits, uint32_t offset, uint32_t *places) {
  places[0] = offset + (uint32_t)__builtin_ctzll(bits | (uint64_t)1 << 63);
  size_t count = 1;
  for (uint64_t rest = bits & (bits - 1); rest; rest &= rest - 1) {
    places[count++] = offset + (uint32_t)__builtin_ctzll(rest);
  }
  return bits ? count : 0;
}

/// Writes the places to look at in the next blocks, and returns their number.
INLINE size_t search(const Finding *finding, size_t start, uint32_t *places) {
  const uint8_t *text = finding->text + start, letter = finding->name[0];
  size_t placeCount = 0, rest = finding->count - start, length = finding->length;
  if (rest >= 64 * findBlocks + findSlack) {
    for (uint32_t offset = 0; offset < 64 * findBlocks; offset += 64) {
      placeCount += writeFew(interesting(text + offset, letter, length), offset, places + placeCount);
    }
    return placeCount;
  }
  uint8_t tail[64 + findSlack];
  for (uint32_t offset = 0; offset < 64 * findBlocks && offset < rest; offset += 64) {
    const uint8_t *bytes = text + offset;
    if (rest - offset < sizeof tail) {
      memset(tail, 0, sizeof tail);
      bytes = memcpy(tail, bytes, rest - offset);
    }
    placeCount += writeFew(interesting(bytes, letter, length), offset, places + placeCount);
  }
  return placeCount;
}

INLINE size_t findMember(
    const uint8_t *text, size_t count, size_t start, const uint8_t *name, size_t length, uint64_t *found, size_t most) {
  Finding finding = {.text = text, .name = name, .count = count, .length = length};
  enter(&finding, start);
  memcpy(&finding.word, name, length < 8 ? length : 8);
  memset(&finding.mask, 0xFF, length < 8 ? length : 8);
  size_t records = 0;
  uint32_t places[64 * findBlocks + 1];
  for (; start < count; start += 64 * findBlocks) {
    size_t placeCount = search(&finding, start, places);
    for (size_t index = 0; index < placeCount; index++) {
      size_t place = start + places[index];
      if (text[place] == '\n') {
        records += endRecord(&finding, place, found + 2 * records);
        if (records == most) return records;
      } else if (text[place] == '\\') {
        lookAtBackslash(&finding, place);
      } else {
        lookAtLetter(&finding, place);
      }
    }
  }
  return records;
}
