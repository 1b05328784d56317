// What may stand in a string: escapes, and UTF-8.

// MARK: Escapes

/// Bytes that a backslash stands before which is none of these bytes itself: in a run of backslashes every second one,
/// and the byte after an odd run, which a subtraction finds.
INLINE Bits findEscaped(Bits backslashes, Bits *carry) {
  const uint64_t odd = 0xAAAAAAAAAAAAAAAA;
  Bits in = {0};
  for (;;) {
    Bits begun = backslashes & ~in, codes = (((begun << 1) | odd) - begun) ^ odd;
    Bits out = (codes & backslashes) >> 63, expected = toNextLane(out, *carry);
    // Hardly a run goes over the end of a block: then once more, knowing so.
    if (__builtin_expect(!isAny(in ^ expected), true)) {
      *carry = out;
      return codes ^ (backslashes | in);
    }
    in = expected;
  }
}

/// The four places after each `u`.
INLINE Bits findHexPlaces(Bits units, Bits *carry) {
  Bits over = units >> 63 | units >> 62 | units >> 61 | units >> 60, before = toNextLane(over, *carry);
  *carry = over;
  return units << 1 | units << 2 | units << 3 | units << 4 | before;
}

/// RFC 8259 §7: the letters after backslashes, and four digits after each `u`. Sets the bytes that are escaped.
INLINE Bits checkEscapes(Planes planes, Bits *escaped, Carries *carry) {
  Bits begins = backslashes(planes);
  *escaped = begins & ~begins;
  if (!isAny(begins | carry->afterBackslash | carry->hexDigits)) return *escaped;
  *escaped = findEscaped(begins, &carry->afterBackslash);
  Bits wanted = findHexPlaces(units(planes) & *escaped, &carry->hexDigits);
  return (*escaped & ~escapeLetters(planes)) | (wanted & ~hexDigits(planes));
}

// MARK: UTF-8

/// Bytes that begin a sequence of two at least, of three at least, of four. After some, not every second byte is
/// allowed: after `low` ones (E0, F0) only the higher ones are, after other `edges` (ED, F4)
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

/// Unicode 16, table 3-7. What a lead wants stands behind it and nowhere else.
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
