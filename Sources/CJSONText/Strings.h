// Checks the content of strings: escapes, and UTF-8.

// MARK: Escapes

/// Finds bytes that follow a backslash which is not escaped itself.
///
/// These are every second backslash of a run, and the byte after an odd run. A subtraction finds them.
INLINE Bits findEscaped(Bits backslashes, Bits *carry) {
  const uint64_t odd = 0xAAAAAAAAAAAAAAAA;
  Bits in = {0};
  for (;;) {
    Bits begun = backslashes & ~in, codes = (((begun << 1) | odd) - begun) ^ odd;
    Bits out = (codes & backslashes) >> 63, expected = toNextLane(out, *carry);
    // A run rarely continues after the end of a block. If one does, the loop runs once more with the carry.
    if (__builtin_expect(!isAny(in ^ expected), true)) {
      *carry = out;
      return codes ^ (backslashes | in);
    }
    in = expected;
  }
}

/// Returns the four bits after each `u`.
INLINE Bits findHexPlaces(Bits units, Bits *carry) {
  Bits over = units >> 63 | units >> 62 | units >> 61 | units >> 60, before = toNextLane(over, *carry);
  *carry = over;
  return units << 1 | units << 2 | units << 3 | units << 4 | before;
}

/// Checks the letters after backslashes, and four digits after each `u` (RFC 8259 §7).
///
/// `escaped` becomes the mask of the escaped bytes.
INLINE Bits checkEscapes(Planes planes, Bits *escaped, Carries *carry) {
  Bits begins = backslashes(planes);
  *escaped = begins & ~begins;
  if (!isAny(begins | carry->afterBackslash | carry->hexDigits)) return *escaped;
  *escaped = findEscaped(begins, &carry->afterBackslash);
  Bits wanted = findHexPlaces(units(planes) & *escaped, &carry->hexDigits);
  return (*escaped & ~escapeLetters(planes)) | (wanted & ~hexDigits(planes));
}

// MARK: UTF-8

/// Bytes that begin a sequence of at least two bytes, of at least three, of four.
///
/// After some of them, only a part of the continuation bytes is allowed next. `low` bytes (E0, F0) need a higher one,
/// other `edges` (ED, F4) a lower one.
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

/// Checks UTF-8 (Unicode 16, table 3-7): continuation bytes follow a lead byte that needs them, and no other byte.
INLINE Bits checkUTF8(Planes p, Carries *carry) {
  if (!isAny(p.bit7 | carry->continuations)) return p.bit7;
  Leads leads = findLeads(p);
  Bits never = leads.two & ((~(p.bit5 | p.bit4 | p.bit3 | p.bit2 | p.bit1)) |
                            (leads.four & (p.bit3 | (p.bit2 & (p.bit1 | p.bit0)))));
  Bits over = leads.two >> 63 | leads.three >> 62 | leads.four >> 61;
  Bits wanted = leads.two << 1 | leads.three << 2 | leads.four << 3 | toNextLane(over, carry->continuations);
  carry->continuations = over;
  Bits higher = p.bit5 | (p.bit4 & next(leads.four, &carry->afterLead4));
  Bits afterEdges = next(leads.edges, &carry->afterEdgeLead), afterLow = next(leads.low, &carry->afterLowLead);
  return never | (wanted ^ (p.bit7 & ~p.bit6)) | (afterEdges & (higher ^ afterLow));
}
