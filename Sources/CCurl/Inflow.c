// What arrives, kept until it is taken: libcurl's callbacks write it in pieces of at most 16 KB, the reader takes it in
// blocks. A reader that is slower than the server stops the transfer, so that memory does not grow.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "Library.h"

enum {
  // Undelivered bytes at which a transfer is paused, and at which it goes on.
  high_mark = 1 << 20,
  low_mark = 512 << 10,
  // A small response takes little memory; and more than 64 KB at once would be fresh memory each time (malloc maps it),
  // and out of the cache before it is read: 100 MB took a fifth longer in blocks of 256 KB.
  first_block = 32 << 10,
  next_block = 64 << 10,
  // All heads of a response together: what curl itself allows from 8.4 on.
  head_limit = 300 << 10,
};

static const size_t pause_transfer = 0x10000001;  // CURL_WRITEFUNC_PAUSE

struct ccurl_inflow {
  // Guards what the reader touches as well: the blocks, their sum, the pause.
  pthread_mutex_t lock;
  ccurl_block *first;
  ccurl_block *last;
  size_t waiting;
  bool is_paused;

  // Written by the transfer's thread until the head is whole, and not after.
  char peer[64];
  char *head;
  size_t head_count;
  size_t head_capacity;
  bool is_head_whole;

  // Only the transfer's thread.
  uint64_t head_bytes;
  uint64_t body_bytes;
  uint64_t limit;
  bool has_changed;
  bool is_head_too_large;
  bool is_body_too_large;
};

ccurl_inflow *ccurl_inflow_new(uint64_t limit) {
  ccurl_inflow *inflow = ccurl_fails() ? NULL : calloc(1, sizeof *inflow);
  if (!inflow) return NULL;
  pthread_mutex_init(&inflow->lock, NULL);
  inflow->limit = limit;
  return inflow;
}

void ccurl_inflow_free(ccurl_inflow *inflow) {
  while (inflow->first) {
    ccurl_block *block = inflow->first;
    inflow->first = block->next;
    free(block);
  }
  pthread_mutex_destroy(&inflow->lock);
  free(inflow->head);
  free(inflow);
}

// The head.

static bool append_line(ccurl_inflow *inflow, const char *bytes, size_t count) {
  size_t needed = inflow->head_count + count;
  if (needed > inflow->head_capacity) {
    size_t capacity = needed < 2048 ? 2048 : needed * 2;
    char *head = ccurl_fails() ? NULL : realloc(inflow->head, capacity);
    if (!head) return false;
    inflow->head = head;
    inflow->head_capacity = capacity;
  }
  memcpy(inflow->head + inflow->head_count, bytes, count);
  inflow->head_count = needed;
  return true;
}

// Whether the head that has just ended is an interim one (RFC 9110 §15.2): "HTTP/1.1 1xx". After the head of a proxy's
// answer to CONNECT nothing needs to be thrown away: SUPPRESS_CONNECT_HEADERS keeps it from coming here.
static bool is_interim(const ccurl_inflow *inflow) {
  const char *space = memchr(inflow->head, ' ', inflow->head_count);
  return space && space + 1 < inflow->head + inflow->head_count && space[1] == '1';
}

// Called for each line of a head, its end included, and for trailers.
size_t ccurl_on_head(char *bytes, size_t size, size_t count, void *context) {
  ccurl_inflow *inflow = context;
  count *= size;
  if (inflow->is_head_whole) return count;  // a trailer
  inflow->head_bytes += count;
  inflow->is_head_too_large = inflow->head_bytes > head_limit;
  if (inflow->is_head_too_large) return 0;
  if (count >= 5 && memcmp(bytes, "HTTP/", 5) == 0) inflow->head_count = 0;
  bool is_end = count == 0 || bytes[0] == '\r' || bytes[0] == '\n';
  if (!is_end) return append_line(inflow, bytes, count) ? count : 0;
  if (!is_interim(inflow)) inflow->is_head_whole = inflow->has_changed = true;
  return count;
}

const char *ccurl_inflow_head(ccurl_inflow *inflow, size_t *count) {
  *count = inflow->head_count;
  return inflow->is_head_whole ? inflow->head : NULL;
}

void ccurl_inflow_set_peer(ccurl_inflow *inflow, const char *peer) {
  if (!inflow->is_head_whole) snprintf(inflow->peer, sizeof inflow->peer, "%s", peer);
}

const char *ccurl_inflow_peer(const ccurl_inflow *inflow) { return inflow->peer; }

// The body.

static ccurl_block *new_block(size_t capacity) {
  ccurl_block *block = ccurl_fails() ? NULL : malloc(sizeof *block + capacity);
  if (!block) return NULL;
  block->next = NULL;
  block->count = 0;
  block->capacity = capacity;
  return block;
}

static bool append_body(ccurl_inflow *inflow, const char *bytes, size_t count) {
  while (count > 0) {
    ccurl_block *last = inflow->last;
    if (!last || last->count == last->capacity) {
      last = new_block(inflow->body_bytes == 0 ? first_block : next_block);
      if (!last) return false;
      if (inflow->last) {
        inflow->last->next = last;
      } else {
        inflow->first = last;
      }
      inflow->last = last;
    }
    size_t room = last->capacity - last->count;
    size_t part = count < room ? count : room;
    memcpy(last->bytes + last->count, bytes, part);
    last->count += part;
    inflow->waiting += part;
    inflow->body_bytes += part;
    bytes += part;
    count -= part;
  }
  return true;
}

// A paused transfer keeps what curl has received and already decoded (up to 64 MB in 7.88, then it fails), and gives it
// again when it is resumed: Easy.c keeps what is received at once small for that reason.
size_t ccurl_on_body(char *bytes, size_t size, size_t count, void *context) {
  ccurl_inflow *inflow = context;
  count *= size;
  if (count > inflow->limit - inflow->body_bytes) {
    inflow->is_body_too_large = true;
    return 0;
  }
  pthread_mutex_lock(&inflow->lock);
  bool is_ahead = inflow->waiting >= high_mark;
  if (is_ahead) inflow->is_paused = true;
  bool is_kept = !is_ahead && append_body(inflow, bytes, count);
  pthread_mutex_unlock(&inflow->lock);
  if (is_ahead) return pause_transfer;
  inflow->has_changed = true;
  return is_kept ? count : 0;
}

ccurl_block *ccurl_inflow_take(ccurl_inflow *inflow, bool *wants_resume) {
  pthread_mutex_lock(&inflow->lock);
  ccurl_block *block = inflow->first;
  size_t before = inflow->waiting;
  if (block) {
    inflow->first = block->next;
    if (!inflow->first) inflow->last = NULL;
    inflow->waiting -= block->count;
  }
  // Once: on the way down through the mark.
  *wants_resume = inflow->is_paused && before > low_mark && inflow->waiting <= low_mark;
  pthread_mutex_unlock(&inflow->lock);
  return block;
}

void ccurl_block_free(ccurl_block *block) { free(block); }

void ccurl_inflow_resume(ccurl_inflow *inflow) {
  pthread_mutex_lock(&inflow->lock);
  inflow->is_paused = false;
  pthread_mutex_unlock(&inflow->lock);
}

size_t ccurl_inflow_waiting(ccurl_inflow *inflow, bool *is_paused) {
  pthread_mutex_lock(&inflow->lock);
  size_t waiting = inflow->waiting;
  *is_paused = inflow->is_paused;
  pthread_mutex_unlock(&inflow->lock);
  return waiting;
}

bool ccurl_inflow_changed(ccurl_inflow *inflow) {
  bool has_changed = inflow->has_changed;
  inflow->has_changed = false;
  return has_changed;
}

uint64_t ccurl_inflow_head_bytes(const ccurl_inflow *inflow) { return inflow->head_bytes; }
bool ccurl_inflow_head_too_large(const ccurl_inflow *inflow) { return inflow->is_head_too_large; }
bool ccurl_inflow_body_too_large(const ccurl_inflow *inflow) { return inflow->is_body_too_large; }
