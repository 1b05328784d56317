// Finds where a text may have a member with one of some names, by the first two letters of the names.
//
// A letter is looked up by its lower four bits in a table of sixteen bytes, in which each bit stands for a pair of letters.
// So upper and lower case are alike, and other bytes may look like a letter: the caller compares the names. A file with an
// instruction for such tables defines `OWN_HINTS` and `hintsIn`.

enum {
  /// Blocks that are searched before any of their bytes is looked at.
  hintBlocks = 4,
  /// Bytes after a block that are read.
  hintSlack = 2,
};

/// Reports that a quote or an `@` is before two letters of the tables.
INLINE bool isHint(const uint8_t *text, const uint8_t *letters) {
  if (text[0] != '"' && text[0] != '@') return false;
  return text[1] < 0x80 && text[2] < 0x80 && letters[text[1] & 15] & letters[16 + (text[2] & 15)];
}

#ifndef OWN_HINTS
/// Returns a word whose highest bits mark the bytes that have a value, and some bytes after such a byte.
INLINE uint64_t marked(uint64_t word, uint8_t byte) {
  const uint64_t ones = 0x0101010101010101;
  word ^= ones * byte;
  return (word - ones) & ~word & ones << 7;
}

/// Returns the mask of the bytes of a block that are hints.
INLINE uint64_t hintsIn(const uint8_t *input, const uint8_t *letters) {
  uint64_t bits = 0;
  for (int start = 0; start < 64; start += 8) {
    uint64_t word;
    memcpy(&word, input + start, sizeof word);
    for (uint64_t rest = marked(word, '"') | marked(word, '@'); rest; rest &= rest - 1) {
      int i = start + __builtin_ctzll(rest) / 8;
      bits |= (uint64_t)isHint(input + i, letters) << i;
    }
  }
  return bits;
}
#endif

/// Writes the offsets of hints from `start` on, at most `most`, and moves `start` behind the bytes that were searched.
INLINE size_t findHints(
    const uint8_t *text, size_t count, size_t *start, const uint8_t *letters, uint64_t *found, size_t most) {
  enum { step = 64 * hintBlocks };
  size_t place = *start, number = 0;
  for (; count - place >= step + hintSlack && most - number >= step; place += step) {
    uint64_t bits[hintBlocks], any = 0;
    for (int i = 0; i < hintBlocks; i++) any |= bits[i] = hintsIn(text + place + 64 * (size_t)i, letters);
    if (__builtin_expect(!any, 1)) continue;
    for (int i = 0; i < hintBlocks; i++) {
      for (uint64_t rest = bits[i]; rest; rest &= rest - 1) {
        found[number++] = place + 64 * (size_t)i + (size_t)__builtin_ctzll(rest);
      }
    }
  }
  if (count - place < step + hintSlack) {
    for (; count - place > hintSlack && most > number; place++) {
      if (isHint(text + place, letters)) found[number++] = place;
    }
    if (count - place <= hintSlack) place = count;
  }
  *start = place;
  return number;
}
