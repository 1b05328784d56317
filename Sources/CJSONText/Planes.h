// Eight masks hold the bytes of a block: mask k has bit k of each byte. Every class of bytes is a formula over these
// masks, computed for as many blocks at once as fit a register.
//
// A file includes this header after `transpose` can make the masks of `lanes` blocks, and `Bits` holds as many.

/// Masks of a window's blocks, bit by bit.
typedef struct {
  uint64_t masks[8][CJSONWindow] __attribute__((aligned(64)));
} Window;

/// Loads as many masks as there are lanes.
INLINE Bits get(const uint64_t *masks) {
  Bits bits;
  __builtin_memcpy(&bits, masks, sizeof bits);
  return bits;
}

INLINE void put(Bits bits, uint64_t *masks) { __builtin_memcpy(masks, &bits, sizeof bits); }

INLINE bool isAny(Bits bits) { return __builtin_reduce_or(bits) != 0; }

/// Masks of `lanes` blocks; `bitK` has bit k of each byte.
typedef struct {
  Bits bit0, bit1, bit2, bit3, bit4, bit5, bit6, bit7;
} Planes;

/// Returns the masks of the blocks from `index` on.
INLINE Planes planesAt(const Window *window, size_t index) {
#define PLANE(BIT) get(&window->masks[BIT][index])
  return (Planes){PLANE(0), PLANE(1), PLANE(2), PLANE(3), PLANE(4), PLANE(5), PLANE(6), PLANE(7)};
#undef PLANE
}

INLINE void readWindow(const uint8_t *input, size_t count, Window *window) {
  for (size_t index = 0; index < count; index += lanes) {
    for (int lane = 0; lane < lanes; lane++) __builtin_prefetch(input + 64 * (index + lane) + 4096);
    transpose(input + 64 * index, window->masks[0] + index);
  }
}

// MARK: Classes

/// Bytes 20 to 2F, 30 to 3F.
INLINE Bits row2(Planes p) { return ~(p.bit7 | p.bit6 | p.bit4) & p.bit5; }
INLINE Bits row3(Planes p) { return ~(p.bit7 | p.bit6) & p.bit5 & p.bit4; }

/// Bytes with a lower half of 0.
INLINE Bits column0(Planes p) { return ~(p.bit3 | p.bit2 | p.bit1 | p.bit0); }

INLINE Bits controls(Planes p) { return ~(p.bit7 | p.bit6 | p.bit5); }
INLINE Bits quotes(Planes p) { return row2(p) & ~(p.bit3 | p.bit2) & p.bit1 & ~p.bit0; }
INLINE Bits backslashes(Planes p) {
  return ~(p.bit7 | p.bit5) & p.bit6 & p.bit4 & p.bit3 & p.bit2 & ~(p.bit1 | p.bit0);
}

/// Tab, line feed and carriage return: 09, 0A and 0D.
INLINE Bits breaks(Planes p) {
  return controls(p) & ~p.bit4 & p.bit3 & ((~p.bit2 & (p.bit1 ^ p.bit0)) | (p.bit2 & ~p.bit1 & p.bit0));
}
INLINE Bits lineFeeds(Planes p) { return controls(p) & ~(p.bit4 | p.bit2 | p.bit0) & p.bit3 & p.bit1; }
INLINE Bits space(Planes p) { return (row2(p) & column0(p)) | breaks(p); }

/// Bytes 5B, 7B and 5D, 7D; bit 5 is set for the curly ones.
INLINE Bits brackets(Planes p) { return ~p.bit7 & p.bit6 & p.bit4 & p.bit3 & (p.bit2 ^ p.bit1) & p.bit0; }
INLINE Bits colons(Planes p) { return row3(p) & p.bit3 & ~p.bit2 & p.bit1 & ~p.bit0; }
INLINE Bits commas(Planes p) { return row2(p) & p.bit3 & p.bit2 & ~(p.bit1 | p.bit0); }

INLINE Bits digits(Planes p) { return row3(p) & ~(p.bit3 & (p.bit2 | p.bit1)); }
INLINE Bits zeros(Planes p) { return row3(p) & column0(p); }
INLINE Bits points(Planes p) { return row2(p) & p.bit3 & p.bit2 & p.bit1 & ~p.bit0; }
INLINE Bits minuses(Planes p) { return row2(p) & p.bit3 & p.bit2 & ~p.bit1 & p.bit0; }
INLINE Bits pluses(Planes p) { return row2(p) & p.bit3 & ~p.bit2 & p.bit1 & p.bit0; }
/// `e` and `E`.
INLINE Bits marks(Planes p) { return ~(p.bit7 | p.bit4 | p.bit3 | p.bit1) & p.bit6 & p.bit2 & p.bit0; }

/// Bytes that may follow a backslash (RFC 8259 §7).
///
/// Row 2 has " and /, row 5 has \, row 6 has b f n, row 7 has r t u.
INLINE Bits escapeLetters(Planes p) {
  Bits inRow6 = p.bit1 & ~p.bit0 & (p.bit2 | ~p.bit3);
  Bits inRow7 = ~p.bit3 & ((p.bit2 & ~p.bit1) | (~p.bit2 & p.bit1 & ~p.bit0));
  Bits small = ~p.bit7 & p.bit6 & p.bit5;
  Bits slashes = row2(p) & p.bit3 & p.bit2 & p.bit1 & p.bit0;
  return quotes(p) | slashes | backslashes(p) | (small & ~p.bit4 & inRow6) | (small & p.bit4 & inRow7);
}
/// The letter `u`, which begins the digits of an escape.
INLINE Bits units(Planes p) {
  return ~(p.bit7 | p.bit3 | p.bit1) & p.bit6 & p.bit5 & p.bit4 & p.bit2 & p.bit0;
}
INLINE Bits hexDigits(Planes p) {
  Bits letters = ~(p.bit7 | p.bit4 | p.bit3) & p.bit6 & (p.bit2 | p.bit1 | p.bit0) & ~(p.bit2 & p.bit1 & p.bit0);
  return digits(p) | letters;
}
