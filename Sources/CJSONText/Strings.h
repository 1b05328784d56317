// What may stand in a string: escapes, and UTF-8.

// MARK: Escapes

/// Bytes that a backslash stands before which is none of these bytes itself.
INLINE uint64_t findEscaped(uint64_t backslashes, uint64_t *carry) {
  const uint64_t odd = 0xAAAAAAAAAAAAAAAA;
  uint64_t begun = backslashes & ~*carry;
  uint64_t codes = (((begun << 1) | odd) - begun) ^ odd;
  uint64_t escaped = codes ^ (backslashes | *carry);
  *carry = (codes & backslashes) >> 63;
  return escaped;
}

INLINE Bits findAllEscaped(Bits backslashes, uint64_t *carry) {
  uint64_t masks[lanes];
  put(backslashes, masks);
  for (int lane = 0; lane < lanes; lane++) masks[lane] = findEscaped(masks[lane], carry);
  return get(masks);
}

/// The four places after each `u`.
INLINE Bits findHexPlaces(Bits units, uint64_t *carry) {
  uint64_t masks[lanes];
  put(units, masks);
  for (int lane = 0; lane < lanes; lane++) {
    uint64_t begun = masks[lane];
    masks[lane] = begun << 1 | begun << 2 | begun << 3 | begun << 4 | *carry;
    *carry = begun >> 63 | begun >> 62 | begun >> 61 | begun >> 60;
  }
  return get(masks);
}

/// RFC 8259 §7: the letters after backslashes, and four digits after each `u`. Sets the bytes that are escaped.
INLINE Bits checkEscapes(Planes planes, Bits *escaped, CJSONCarry *carry) {
  Bits begins = backslashes(planes);
  *escaped = begins & ~begins;
  if (!isAny(begins) && !(carry->afterBackslash | carry->hexDigits)) return *escaped;
  *escaped = findAllEscaped(begins, &carry->afterBackslash);
  Bits wanted = findHexPlaces(units(planes) & *escaped, &carry->hexDigits);
  return (*escaped & ~escapeLetters(planes)) | (wanted & ~hexDigits(planes));
}

// MARK: UTF-8

/// Bytes that begin a sequence of two at least, of three at least, of four. After some, not every second byte is
/// allowed (Unicode 16, table 3-7): after `low` ones (E0, F0) only the higher ones are, after other `edges` (ED, F4)
/// only the lower ones.
typedef struct {
  Bits two, three, four, edges, low;
} Leads;

INLINE Leads findLeads(Planes p) {
  Bits two = p.bit7 & p.bit6, three = two & p.bit5, four = three & p.bit4;
  Bits low = three & column0(p);
  Bits surrogates = three & ~p.bit4 & p.bit3 & p.bit2 & ~p.bit1 & p.bit0;
  Bits last = four & ~p.bit3 & p.bit2 & ~(p.bit1 | p.bit0);
  return (Leads){two, three, four, low | surrogates | last, low};
}

/// The bits, moved by some places; `before` has those of the blocks one earlier.
INLINE Bits moved(Bits bits, Bits before, int count) { return bits << count | before >> (64 - count); }

INLINE Bits checkUTF8(const Window *window, long index, Planes p) {
  Planes before = planesAt(window, index - 1);
  if (!isAny(p.bit7 | before.bit7)) return p.bit7;
  Leads leads = findLeads(p), earlier = findLeads(before);
  Bits never = leads.two & ((~(p.bit5 | p.bit4 | p.bit3 | p.bit2 | p.bit1)) |
                            (leads.four & (p.bit3 | (p.bit2 & (p.bit1 | p.bit0)))));
  Bits wanted = moved(leads.two, earlier.two, 1) | moved(leads.three, earlier.three, 2) |
                moved(leads.four, earlier.four, 3);
  Bits higher = p.bit5 | (p.bit4 & moved(leads.four, earlier.four, 1));
  Bits afterEdges = moved(leads.edges, earlier.edges, 1), afterLow = moved(leads.low, earlier.low, 1);
  return never | (wanted ^ (p.bit7 & ~p.bit6)) | (afterEdges & (higher ^ afterLow));
}
