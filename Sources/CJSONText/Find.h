// Finds one member of each record of compact lines, for a condition that reads nothing else.
//
// In compact text a name with its quotes and its colon, after `{` or a comma, is a name: inside a string the quotes would
// have backslashes. So a search of the text for `"name":` finds each candidate. Brackets before it decide whether it is
// a member of the record itself.
//
// Needs `equal`, which compares 64 bytes with one.

/// Bytes after a block that the comparison reads: a name and its colon.
enum { findSlack = CJSONFindMost + 3 };

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

INLINE uint64_t anyBracket(const uint8_t *bytes) {
  return equal(bytes, '{') | equal(bytes, '[') | equal(bytes, '}') | equal(bytes, ']');
}

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
static __attribute__((noinline)) void decide(Finding *finding, size_t end) {
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

/// Looks at a place where the name may begin.
INLINE void lookAt(Finding *finding, size_t place) {
  const uint8_t *text = finding->text;
  if (place + finding->length + 3 > finding->count || place == finding->start) return;
  if (text[place - 1] != '{' && text[place - 1] != ',') return;
  if (!hasName(finding, place + 1)) return;
  decide(finding, SIZE_MAX);
  finding->last = place;
}

INLINE int hexDigit(uint8_t byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  byte |= 0x20;
  return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : 0;
}

/// Looks at an escape, which may spell a letter of the name: `\u0061`.
INLINE void lookAtEscape(Finding *finding, size_t place) {
  const uint8_t *text = finding->text;
  if (place + 5 >= finding->count || text[place + 2] != '0' || text[place + 3] != '0') return;
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

INLINE size_t findMember(
    const uint8_t *text, size_t count, size_t start, const uint8_t *name, size_t length, uint64_t *found, size_t most) {
  Finding finding = {.text = text, .name = name, .count = count, .length = length};
  enter(&finding, start);
  memcpy(&finding.word, name, length < 8 ? length : 8);
  memset(&finding.mask, 0xFF, length < 8 ? length : 8);
  size_t records = 0;
  uint8_t tail[64 + findSlack];
  for (size_t offset = start; offset < count; offset += 64) {
    const uint8_t *bytes = text + offset;
    if (count - offset < sizeof tail) {
      memset(tail, 0, sizeof tail);
      bytes = memcpy(tail, bytes, count - offset);
    }
    uint64_t feeds = equal(bytes, '\n');
    uint64_t names = equal(bytes, '"') & equal(bytes + 1, name[0]) & equal(bytes + length + 1, '"') &
                     equal(bytes + length + 2, ':');
    uint64_t escapes = equal(bytes, '\\') & equal(bytes + 1, 'u');
    for (uint64_t bits = feeds | names | escapes; bits; bits &= bits - 1) {
      uint64_t bit = bits & (0 - bits);
      size_t place = offset + (size_t)__builtin_ctzll(bits);
      if (bit & names) {
        lookAt(&finding, place);
      } else if (bit & escapes) {
        lookAtEscape(&finding, place);
      } else {
        records += endRecord(&finding, place, found + 2 * records);
        if (records == most) return records;
      }
    }
  }
  return records;
}
