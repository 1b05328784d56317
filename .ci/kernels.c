// Prints what a kernel of the JSON pass makes of buffers, as a hash for every 1,000: kernels KERNEL COUNT [FILE...]
//
// The same program, built for two processors, must print the same. Half of the buffers are cut from the files, the others
// are random tokens. Bits that a kernel may leave undefined are not looked at.

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CJSONText.h"

enum { longest = 3 * 64 * CJSONWindow };

static uint64_t state = 88172645463325252u, hash;

static uint64_t next(void) {
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state;
}

static void add(const void *bytes, size_t count) {
  for (size_t i = 0; i < count; i++) hash = (hash ^ ((const uint8_t *)bytes)[i]) * 1099511628211u;
}

static const char *const tokens[] = {
    "\"", "\\", "{", "}", "[", "]", ",", ":", " ", "\n", "\r", "\t", "0", "12", "-1.5e+7", ".", "e", "true", "false", "null",
    "\"a\":", "\"name\":\"\xc3\xa9\"", "{}", "[]", "\x01", "\x7f", "\x80", "\xe2\x82\xac", "\xed\xa0\x80", "\xf0\x9f\x98\x80",
    "\xf4\x90\x80\x80", "\\u00e9", "\\ud83d", "\\\"", "\\\\", "\"hasNextPage\":true", "\"hasNextPage\" : false",
    "\"a longer text that fills more than a block of sixteen bytes, and then one of sixty-four bytes\"", "        ", "\n\n",
};

static size_t make(uint8_t *text, const uint8_t *corpus, size_t size) {
  // A few are longer than a window.
  size_t count = 1 + next() % (next() % 8 ? 800 : longest - 200);
  if (size > 0 && next() % 2) {
    if (count > size) count = size;
    memcpy(text, corpus + next() % (size - count + 1), count);
    for (uint64_t i = next() % 3; i > 0; i--) text[next() % count] = tokens[next() % 33][0];
    return count;
  }
  size_t end = 0;
  uint64_t kinds = 1 + next() % (sizeof tokens / sizeof tokens[0]);
  while (end < count) {
    const char *token = tokens[next() % kinds];
    size_t length = strlen(token);
    memcpy(text + end, token, length);
    end += length;
  }
  return end;
}

static void addMasks(const uint64_t *masks, size_t block) {
  uint64_t of[CJSONKinds];
  for (int kind = 0; kind < CJSONKinds; kind++) of[kind] = masks[kind * CJSONWindow + (long)block];
  of[CJSONOpening] &= of[CJSONBrackets], of[CJSONCurly] &= of[CJSONBrackets];
  const int seen[] = {CJSONKept, CJSONBrackets, CJSONOpening, CJSONCurly, CJSONCommas, CJSONColons, CJSONElements, CJSONWritten};
  for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) add(&of[seen[i]], 8);
}

// The members of a text's lines, whatever the text is.
static void find(int kernel, const uint8_t *text, size_t count) {
  uint64_t found[2 * 16];
  for (size_t start = 0, records; start < count; start = found[2 * records - 2] + 1) {
    records = cjson_find(kernel, text, count, start, (const uint8_t *)"name", 4, found, 16);
    add(&records, sizeof records), add(found, 2 * records * sizeof found[0]);
    if (records == 0) return;
  }
}

// Where a member may have one of some names, whatever the names are. Kernels may search in pieces of other lengths.
static void hints(int kernel, const uint8_t *text, size_t count) {
  static uint64_t found[512];
  uint8_t letters[32];
  for (int i = 0; i < 32; i++) letters[i] = (uint8_t)(next() & next());
  for (size_t start = 0, before; start < count;) {
    before = start;
    size_t length = cjson_hints(kernel, text, count, &start, letters, found, 512);
    add(found, length * sizeof found[0]);
    if (start == before) return;
  }
}

// One text by all functions. `mode` has one bit: lines.
static void run(int kernel, const uint8_t *text, size_t blocks, unsigned mode) {
  static uint8_t room[64 + longest + 64];
  static uint32_t places[64 * CJSONWindow + CJSONPlacesSlack];
  uint8_t *output = room + 64;
  uint64_t masks[CJSONKinds * CJSONWindow];
  CJSONCarry carry = {.afterOpening = 1, .afterLineFeed = 1};
  CJSONWalk walk = {
      .rest = ~(uint64_t)0, .floor = 0, .lowest = 1, .highest = 60, .separators = mode & 1 ? CJSONLineFeeds : CJSONCommas,
      .strays = mode & 1 ? CJSONCommas : CJSONLineFeeds, .deepest = (long)(blocks % 4 ? 2 : 100)};
  for (size_t block = 0; block < blocks; block += CJSONWindow) {
    memset(masks, 0, sizeof masks);
    size_t wanted = blocks - block < CJSONWindow ? blocks - block : CJSONWindow, start = carry.written;
    size_t valid = cjson_scan(kernel, mode & 1, &carry, text + 64 * block, wanted, output + start, masks);
    add(&valid, sizeof valid);
    if (valid < wanted) return;
    bool isPlain = carry.isNotPlain == 0;
    add(&carry.written, 8), add(&isPlain, 1);
    for (size_t i = 0; i < valid; i++) addMasks(masks, i);
    add(output + start, carry.written - start);
    long offsets = cjson_places(kernel, masks, (long)valid, 0, places);
    add(&offsets, sizeof offsets), add(places, 4 * (size_t)offsets);
    walk.output = output;
    long end = cjson_walk(kernel, &walk, masks, 0, (long)valid);
    add(&end, sizeof end), add(&walk.depth, sizeof walk.depth), add(&walk.records, sizeof walk.records);
    add(&walk.complete, sizeof walk.complete), add(&walk.kinds, 8);
    if (end < (long)valid) return;
    walk.rest = ~(uint64_t)0;
  }
}

int main(int count, char **arguments) {
  int kernel = atoi(arguments[1]);
  if (!cjson_supports(kernel)) return 3;
  uint8_t *corpus = NULL;
  size_t size = 0;
  for (int i = 3; i < count; i++) {
    FILE *file = fopen(arguments[i], "rb");
    if (!file) return 2;
    corpus = realloc(corpus, size + (8 << 20));
    size += fread(corpus + size, 1, 8 << 20, file);
    fclose(file);
  }
  static uint8_t text[longest + 512 + 64];
  for (long number = 1; number <= atol(arguments[2]); number++) {
    size_t end = make(text, corpus, size), blocks = (end / 64 / CJSONGroup + 1) * CJSONGroup;
    memset(text + end, ' ', sizeof text - end);
    run(kernel, text, blocks, (unsigned)(next() % 2));
    find(kernel, text, end);
    hints(kernel, text, end);
    uint64_t feeds = 0, continuations = 0;
    cjson_count(kernel, text, blocks, &feeds, &continuations);
    add(&feeds, 8), add(&continuations, 8);
    if (number % 1000 == 0) printf("%ld %016llx\n", number, (unsigned long long)hash);
  }
  return 0;
}
