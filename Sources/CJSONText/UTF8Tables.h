// What two bytes that stand side by side say about each other, by three of their half bytes (Keiser and Lemire, arXiv
// 2010.03090): a bit that all three have is a fault, or the second continuation that a longer sequence wants.

#include <stdint.h>

enum {
  tooShort = 1 << 0, tooLong = 1 << 1, overlong3 = 1 << 2, tooLarge = 1 << 3, surrogate = 1 << 4, overlong2 = 1 << 5,
  overlong4 = 1 << 6, tooLarge1000 = 1 << 6, twoContinuations = 1 << 7,
  anyLow = tooShort | tooLong | twoContinuations,
  large = anyLow | tooLarge | tooLarge1000,
  anyTail = tooLong | overlong2 | twoContinuations,
};

static const uint8_t firstHigh[16] = {
  tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, tooLong, twoContinuations, twoContinuations,
  twoContinuations, twoContinuations, tooShort | overlong2, tooShort, tooShort | overlong3 | surrogate, tooShort
  | tooLarge | tooLarge1000 | overlong4,
};
static const uint8_t firstLow[16] = {
  anyLow | overlong3 | overlong2 | overlong4, anyLow | overlong2, anyLow, anyLow, anyLow | tooLarge, large,
  large, large, large, large, large, large, large, large | surrogate, large, large,
};
static const uint8_t secondHigh[16] = {
  tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, tooShort, anyTail | overlong3 |
  tooLarge1000 | overlong4, anyTail | overlong3 | tooLarge, anyTail | surrogate | tooLarge, anyTail | surrogate
  | tooLarge, tooShort, tooShort, tooShort, tooShort,
};
