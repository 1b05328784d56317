// Numbers, and the words `true`, `false` and `null`: runs of all other bytes outside of strings.

// MARK: Words

/// Letters as a word in memory, the first letter lowest.
#define LETTERS(A, B, C, D) ((uint32_t)(A) | (uint32_t)(B) << 8 | (uint32_t)(C) << 16 | (uint32_t)(D) << 24)

/// Reports that one of the words begins here, and that no letter follows it.
INLINE bool isWord(const uint8_t *input) {
  uint32_t letters;
  __builtin_memcpy(&letters, input, 4);
  bool isFalse = letters == LETTERS('f', 'a', 'l', 's') && input[4] == 'e';
  if (!isFalse && letters != LETTERS('t', 'r', 'u', 'e') && letters != LETTERS('n', 'u', 'l', 'l')) return false;
  uint8_t next = input[isFalse ? 5 : 4];
  return next < 0x40 || next == ']' || next == '}';
}

/// Reports that a word begins at every start in a block.
INLINE bool areWords(const uint8_t *input, uint64_t starts) {
  for (; starts; starts &= starts - 1) {
    if (!isWord(input + __builtin_ctzll(starts))) return false;
  }
  return true;
}

// MARK: Numbers

/// All bytes of scalars, their first bytes, and their bytes by class.
typedef struct {
  Bits all, starts, digits, points, letters;
} Scalars;

/// Checks numbers with signs or exponents (RFC 8259 §6).
///
/// `marked` are letters that begin no word.
INLINE Bits checkSignsAndExponents(
    Planes planes, Scalars scalars, Bits rest, Bits marked, Bits afterLetters, Bits *afterMinus, Carries *carry) {
  Bits minus = minuses(planes) & rest, sign = minus | (pluses(planes) & rest), begins = minus & scalars.starts;
  *afterMinus = next(begins, &carry->afterMinus);
  Bits afterMark = next(marked, &carry->afterMark), exponentSigns = afterMark & sign;
  Bits exponents = (afterMark & ~sign) | next(exponentSigns, &carry->afterSign);
  Bits exponentEnds = runEnds(exponents & scalars.digits, scalars.digits, &carry->inExponent);
  return (marked & ~marks(planes)) | (afterLetters & ~afterMark) | (rest & ~sign) |
         ((exponents | *afterMinus) & ~scalars.digits) | (marked & exponentEnds) | (sign & ~(exponentSigns | begins));
}

/// Checks that each part of a number begins where the part before it ends (RFC 8259 §6).
///
/// Words are checked elsewhere.
INLINE Bits checkNumbers(Planes planes, Scalars scalars, Carries *carry) {
  Bits digit = scalars.digits, point = scalars.points;
  Bits behindLetters = next(scalars.letters, &carry->inLetters);
  Bits marked = scalars.letters & ~(behindLetters | scalars.starts);
  Bits afterLetters = behindLetters & scalars.all & ~scalars.letters;
  Bits rest = scalars.all & ~(digit | point | scalars.letters);
  Bits wrong = {0}, afterMinus = {0};
  Bits wasInRest = carry->afterMinus | carry->afterMark | carry->afterSign | carry->inExponent;
  if (isAny(rest | marked | afterLetters | wasInRest))
    wrong = checkSignsAndExponents(planes, scalars, rest, marked, afterLetters, &afterMinus, carry);

  Bits integers = (scalars.starts | afterMinus) & digit;
  Bits integerEnds = runEnds(integers, digit, &carry->inInteger);
  Bits afterPoint = next(point, &carry->afterPoint);
  Bits afterZero = next(integers & zeros(planes), &carry->afterZero);
  return wrong | (point & ~integerEnds) | (afterPoint & ~digit) | (afterZero & digit);
}
