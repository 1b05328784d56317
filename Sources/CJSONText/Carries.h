// What long sums leave to the next group of blocks. They want it in a lane, where no instruction brings it to and fro;
// `CJSONCarry` has it as a word between windows.

#define CARRIES(EACH) \
  EACH(afterOpening) EACH(afterColonOrComma) EACH(afterCurlyOrComma) EACH(afterKey) EACH(afterLineFeed) EACH(inKey) \
  EACH(inScalar) EACH(inLetters) EACH(inInteger) EACH(afterPoint) EACH(afterZero) EACH(afterMinus) EACH(afterMark) \
  EACH(afterSign) EACH(inExponent) EACH(afterBackslash) EACH(hexDigits) EACH(continuations) EACH(afterLowLead) \
  EACH(afterEdgeLead) EACH(afterLead4)

#define DECLARE(NAME) Bits NAME;
#define SPREAD(NAME) .NAME = (Bits){0} + carry->NAME,
#define GATHER(NAME) carry->NAME = over.NAME[lanes - 1];

/// What counts is the last lane.
typedef struct {
  CARRIES(DECLARE)
} Carries;

INLINE Carries spreadCarries(const CJSONCarry *carry) { return (Carries){CARRIES(SPREAD)}; }

INLINE void gatherCarries(Carries over, CJSONCarry *carry) { CARRIES(GATHER) }
