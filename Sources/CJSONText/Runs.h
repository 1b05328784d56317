// Drops white space without an instruction for it: runs of kept bytes are copied, a register at a time.
//
// Needs `stride` and `copyStride`. May read `stride` bytes past the block, and write as many past the kept bytes.

INLINE uint64_t compact(const uint8_t *input, uint64_t kept, uint8_t *output) {
  uint8_t *place = output;
  while (kept) {
    unsigned gap = (unsigned)__builtin_ctzll(kept);
    kept >>= gap;
    input += gap;
    unsigned length = ~kept ? (unsigned)__builtin_ctzll(~kept) : 64;
    for (unsigned copied = 0; copied < length; copied += stride) copyStride(input + copied, place + copied);
    place += length;
    input += length;
    kept = length < 64 ? kept >> length : 0;
  }
  return (uint64_t)(place - output);
}
