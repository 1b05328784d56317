// Functions that the runtimes of Swift and C++, where they are linked statically, take from a newer glibc than 2.34: a
// program that was linked so would not start on RHEL 9. Each stands in for the C library's.

#if defined(__linux__)

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

// A new version since 2.35.
float hypotf(float x, float y) {
  if (isinf(x) || isinf(y)) return INFINITY;  // also beside a NaN (C11 F.10.4.3)
  // The squares of floats fit into doubles, and so does their sum.
  return (float)sqrt((double)x * x + (double)y * y);
}

// Since 2.36, for std::random_device.
uint32_t arc4random(void) {
  uint32_t number;
  if (getentropy(&number, sizeof number) != 0) abort();  // as the C library does
  return number;
}

#endif
