// Classes of bytes by the halves of each byte: a byte is in a class if a bit is set both for its lower and for its upper
// half. Both tables have 16 bytes, for `pshufb` and its like.

#include <stdint.h>

// RFC 8259 §7: what may follow a backslash: " / in row 2, \\ in row 5, b f n in row 6, r t u in row 7.
static const uint8_t escapeLow[16] = {[2] = 1 | 4 | 8, [15] = 1, [12] = 2, [6] = 4, [14] = 4, [4] = 8, [5] = 8};
static const uint8_t escapeHigh[16] = {[2] = 1, [5] = 2, [6] = 4, [7] = 8};

// Hexadecimal digits: 0 to 9 in row 3, letters in rows 4 and 6.
static const uint8_t hexLow[16] = {1, 1 | 2, 1 | 2, 1 | 2, 1 | 2, 1 | 2, 1 | 2, 1, 1, 1};
static const uint8_t hexHigh[16] = {[3] = 1, [4] = 2, [6] = 2};
