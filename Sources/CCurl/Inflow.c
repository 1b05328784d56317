// The incoming response: libcurl's callbacks store the head here, and pass the body to the receiver.

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "Library.h"

enum {
  // Limit for all heads of a response together, as in curl itself from 8.4 on.
  head_limit = 300 << 10,
};

// Lines of a head, or of trailers.
typedef struct {
  char *bytes;
  size_t count;
  size_t capacity;
} field_lines;

static const size_t pause_transfer = 0x10000001;  // CURL_WRITEFUNC_PAUSE

struct ccurl_inflow {
  ccurl_receiver receive;
  void *context;
  // The first of two events: the request was sent, or it was cancelled. Any thread may set it.
  atomic_int fate;

  // Written by the transfer's thread until the head is whole, and never after.
  char peer[64];
  int64_t connect_time;
  field_lines head;
  bool is_head_whole;
  bool is_http2;

  // Written by the transfer's thread until the transfer has ended.
  field_lines trailers;

  // Used by the transfer's thread only.
  uint64_t head_bytes;
  uint64_t body_bytes;
  uint64_t limit;
  bool has_changed;
  bool is_head_too_large;
  bool is_body_too_large;
};

ccurl_inflow *ccurl_inflow_new(uint64_t limit, ccurl_receiver receive, void *context) {
  ccurl_inflow *inflow = ccurl_fails() ? NULL : calloc(1, sizeof *inflow);
  if (!inflow) return NULL;
  inflow->limit = limit;
  inflow->receive = receive;
  inflow->context = context;
  inflow->connect_time = -1;
  return inflow;
}

void ccurl_inflow_free(ccurl_inflow *inflow) {
  free(inflow->head.bytes);
  free(inflow->trailers.bytes);
  free(inflow);
}

// The request.

enum { undecided, sent, given_up };

bool ccurl_inflow_may_send(ccurl_inflow *inflow) {
  int fate = undecided;
  return atomic_compare_exchange_strong(&inflow->fate, &fate, sent) || fate == sent;
}

bool ccurl_inflow_give_up(ccurl_inflow *inflow) {
  int fate = undecided;
  return atomic_compare_exchange_strong(&inflow->fate, &fate, given_up) || fate == given_up;
}

// The head.

static bool append_line(field_lines *lines, const char *bytes, size_t count) {
  size_t needed = lines->count + count;
  if (needed > lines->capacity) {
    size_t capacity = needed < 2048 ? 2048 : needed * 2;
    char *larger = ccurl_fails() ? NULL : realloc(lines->bytes, capacity);
    if (!larger) return false;
    lines->bytes = larger;
    lines->capacity = capacity;
  }
  memcpy(lines->bytes + lines->count, bytes, count);
  lines->count = needed;
  return true;
}

// Reports that the head that has just ended is an interim one (RFC 9110 §15.2): "HTTP/1.1 1xx". A proxy's answer to
// CONNECT never arrives here, because of SUPPRESS_CONNECT_HEADERS.
static bool is_interim(const ccurl_inflow *inflow) {
  const field_lines *head = &inflow->head;
  const char *space = memchr(head->bytes, ' ', head->count);
  return space && space + 1 < head->bytes + head->count && space[1] == '1';
}

// Called for each line of a head, including its line end, and for trailers.
size_t ccurl_on_head(char *bytes, size_t size, size_t count, void *context) {
  ccurl_inflow *inflow = context;
  count *= size;
  inflow->head_bytes += count;
  inflow->is_head_too_large = inflow->head_bytes > head_limit;
  if (inflow->is_head_too_large) return 0;
  bool is_end = count == 0 || bytes[0] == '\r' || bytes[0] == '\n';
  // After the head, the lines are those of trailers (RFC 9110 §6.5).
  if (inflow->is_head_whole) return is_end || append_line(&inflow->trailers, bytes, count) ? count : 0;
  if (count >= 5 && memcmp(bytes, "HTTP/", 5) == 0) inflow->head.count = 0;
  if (!is_end) return append_line(&inflow->head, bytes, count) ? count : 0;
  if (is_interim(inflow)) return count;
  inflow->is_head_whole = inflow->has_changed = true;
  inflow->is_http2 = inflow->head.count > 6 && memcmp(inflow->head.bytes, "HTTP/2", 6) == 0;
  return count;
}

const char *ccurl_inflow_head(ccurl_inflow *inflow, size_t *count) {
  *count = inflow->head.count;
  return inflow->is_head_whole ? inflow->head.bytes : NULL;
}

const char *ccurl_inflow_trailers(ccurl_inflow *inflow, size_t *count) {
  *count = inflow->trailers.count;
  return inflow->trailers.bytes;
}

void ccurl_inflow_set_peer(ccurl_inflow *inflow, const char *peer) {
  if (!inflow->is_head_whole) snprintf(inflow->peer, sizeof inflow->peer, "%s", peer);
}

const char *ccurl_inflow_peer(const ccurl_inflow *inflow) { return inflow->peer; }

void ccurl_inflow_set_connect_time(ccurl_inflow *inflow, int64_t microseconds) {
  if (!inflow->is_head_whole) inflow->connect_time = microseconds;
}

int64_t ccurl_inflow_connect_time(const ccurl_inflow *inflow) { return inflow->connect_time; }

// The body.

// A paused transfer keeps the bytes that curl has received and decoded, up to 64 MB in 7.88; above that it fails. It
// delivers them again when it is resumed. That is why Easy.c limits the bytes that are received at once.
//
// A paused HTTP/2 stream blocks the other streams of its connection (up to 8.0), and a resumed one may get no more
// data (https://github.com/curl/curl/issues/10988). So the receiver pauses no such transfer while it has any other way.
size_t ccurl_on_body(char *bytes, size_t size, size_t count, void *context) {
  ccurl_inflow *inflow = context;
  count *= size;
  if (count > inflow->limit - inflow->body_bytes) {
    inflow->is_body_too_large = true;
    return 0;
  }
  if (count > 0 && !inflow->receive(inflow->context, (const uint8_t *)bytes, count, inflow->is_http2)) {
    return pause_transfer;
  }
  inflow->body_bytes += count;
  inflow->has_changed = true;
  return count;
}

bool ccurl_inflow_changed(ccurl_inflow *inflow) {
  bool has_changed = inflow->has_changed;
  inflow->has_changed = false;
  return has_changed;
}

bool ccurl_inflow_is_http2(const ccurl_inflow *inflow) { return inflow->is_http2; }
uint64_t ccurl_inflow_head_bytes(const ccurl_inflow *inflow) { return inflow->head_bytes; }
bool ccurl_inflow_head_too_large(const ccurl_inflow *inflow) { return inflow->is_head_too_large; }
bool ccurl_inflow_body_too_large(const ccurl_inflow *inflow) { return inflow->is_body_too_large; }
