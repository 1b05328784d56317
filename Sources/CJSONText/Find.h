// Where a token stands, 256 bytes at a time: first by three of its bytes, which seldom stand so far apart.

typedef uint8_t FoundBytes __attribute__((vector_size(64)));

/// Marks with 0xFF those of 64 bytes where the token may begin.
INLINE void markBlock(const uint8_t *bytes, const CJSONToken *token, FoundBytes *marks) {
  memset(marks, 0xFF, sizeof *marks);
  for (int probe = 0; probe < 3; probe++) {
    FoundBytes block;
    memcpy(&block, bytes + token->probes[probe], sizeof block);
    *marks &= (FoundBytes)(block == token->text[token->probes[probe]]);
  }
}

/// The token's place among 256 bytes, of which 0xFF marks those where it may begin; 256 for none.
static __attribute__((noinline)) size_t findMarked(
    const uint8_t *bytes, const uint64_t *marks, const CJSONToken *token) {
  for (size_t word = 0; word < 32; word++) {
    for (uint64_t rest = marks[word]; rest; rest &= ~(0xFFull << (__builtin_ctzll(rest) & ~7))) {
      size_t place = word * 8 + (size_t)__builtin_ctzll(rest) / 8;
      if (!memcmp(bytes + place, token->text, token->length)) return place;
    }
  }
  return 256;
}

INLINE size_t findToken(const uint8_t *bytes, size_t start, size_t end, const CJSONToken *token) {
  for (; start + 256 + CJSONTokenRoom <= end; start += 256) {
    FoundBytes found[4];
    for (int block = 0; block < 4; block++) markBlock(bytes + start + block * 64, token, &found[block]);
    if (!__builtin_reduce_or((found[0] | found[1]) | (found[2] | found[3]))) continue;
    uint64_t marks[32];
    memcpy(marks, found, sizeof marks);
    size_t place = findMarked(bytes + start, marks, token);
    if (place < 256) return start + place;
  }
  return start;
}
