// Carries from one group of blocks to the next. Long sums need a carry in a lane, so that no instruction has to move
// it. Between windows, `CJSONCarry` has it as a word.

#define CARRIES(EACH) \
  EACH(afterOpening) EACH(afterColonOrComma) EACH(afterCurlyOrComma) EACH(afterKey) EACH(afterLineFeed) EACH(inKey) \
  EACH(inScalar) EACH(inLetters) EACH(inInteger) EACH(afterPoint) EACH(afterZero) EACH(afterMinus) EACH(afterMark) \
  EACH(afterSign) EACH(inExponent) EACH(afterBackslash) EACH(hexDigits) EACH(continuations) EACH(afterLowLead) \
  EACH(afterEdgeLead) EACH(afterLead4)

#define DECLARE(NAME) Bits NAME;
#define SPREAD(NAME) .NAME = (Bits){0} + carry->NAME,
#define GATHER(NAME) carry->NAME = over.NAME[lanes - 1];

/// Only the last lane counts.
typedef struct {
  CARRIES(DECLARE)
} Carries;

INLINE Carries spreadCarries(const CJSONCarry *carry) { return (Carries){CARRIES(SPREAD)}; }

INLINE void gatherCarries(Carries over, CJSONCarry *carry) { CARRIES(GATHER) }
