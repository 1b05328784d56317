// gzip and deflate in both directions. Bodies are decoded here and not by libcurl: libcurl (7.88 and later) accepts a truncated compressed body as
// whole. Only the decoder can detect that. The decoder is zlib's. libcurl needs zlib as well, so it is available
// wherever libcurl is. Its ABI has been stable since 1.0 (https://zlib.net/manual.html).

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include "Library.h"

// z_stream, declared by hand: zlib checks the size that it is given.
typedef struct {
  const uint8_t *next_in;
  unsigned avail_in;
  unsigned long total_in;
  uint8_t *next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char *message;
  void *state;
  void *(*allocate)(void *, unsigned, unsigned);
  void (*release)(void *, void *);
  void *opaque;
  int data_type;
  unsigned long checksum;
  unsigned long reserved;
} z_stream;

enum {
  Z_NO_FLUSH = 0,
  Z_FINISH = 4,
  Z_OK = 0,
  Z_STREAM_END = 1,
  Z_MEM_ERROR = -4,
  Z_BUF_ERROR = -5,
  Z_DEFLATED = 8,
  any_window_and_header = 15 + 32,  // gzip or zlib, whichever header comes first
  widest_window_and_gzip_header = 15 + 16,
  usual_level = 6,
  usual_memory = 8,
};

static struct {
  int (*init)(z_stream *, int, const char *, int);
  int (*run)(z_stream *, int);
  int (*reset)(z_stream *);
  int (*end)(z_stream *);
  int (*deflate_init)(z_stream *, int, int, int, int, int, const char *, int);
  int (*deflate)(z_stream *, int);
  int (*deflate_reset)(z_stream *);
  int (*deflate_end)(z_stream *);
} zlib;

static pthread_once_t loading = PTHREAD_ONCE_INIT;
static bool is_loaded;

static void load(void) {
#if defined(__APPLE__)
  // A name without a slash would also be searched for in the working directory.
  static const char *const name = "/usr/lib/libz.1.dylib";
#else
  static const char *const name = "libz.so.1";
#endif
  void *file = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (!file) return;
  *(void **)&zlib.init = dlsym(file, "inflateInit2_");
  *(void **)&zlib.run = dlsym(file, "inflate");
  *(void **)&zlib.reset = dlsym(file, "inflateReset");
  *(void **)&zlib.end = dlsym(file, "inflateEnd");
  *(void **)&zlib.deflate_init = dlsym(file, "deflateInit2_");
  *(void **)&zlib.deflate = dlsym(file, "deflate");
  *(void **)&zlib.deflate_reset = dlsym(file, "deflateReset");
  *(void **)&zlib.deflate_end = dlsym(file, "deflateEnd");
  is_loaded = zlib.init && zlib.run && zlib.reset && zlib.end && zlib.deflate_init && zlib.deflate &&
              zlib.deflate_reset && zlib.deflate_end;
}

bool ccurl_can_inflate(void) {
  pthread_once(&loading, load);
  return is_loaded;
}

struct ccurl_inflate {
  z_stream stream;
  // True if the body may end here: at its start, or at the end of a stream.
  bool is_whole;
};

ccurl_inflate *ccurl_inflate_new(void) {
  if (!ccurl_can_inflate()) return NULL;
  ccurl_inflate *inflate = ccurl_fails() ? NULL : calloc(1, sizeof *inflate);
  if (!inflate) return NULL;
  if (ccurl_fails() || zlib.init(&inflate->stream, any_window_and_header, "1", (int)sizeof inflate->stream) != Z_OK) {
    free(inflate);
    return NULL;
  }
  inflate->is_whole = true;
  return inflate;
}

void ccurl_inflate_free(ccurl_inflate *inflate) {
  zlib.end(&inflate->stream);
  free(inflate);
}

bool ccurl_inflate_is_whole(const ccurl_inflate *inflate) { return inflate->is_whole; }

// Reports that a byte is padding: NULs, as tar and tapes write them, or the line end that a script adds to its output.
static bool is_padding(uint8_t byte) {
  return byte == 0 || byte == ' ' || byte == '\t' || byte == '\r' || byte == '\n';
}

// Skips padding after a member. A gzip file may have several members (RFC 1952 §2.2); anything else is a damaged one.
static ccurl_inflated begin_again(ccurl_inflate *inflate) {
  z_stream *stream = &inflate->stream;
  while (stream->avail_in > 0 && is_padding(stream->next_in[0])) {
    stream->next_in++;
    stream->avail_in--;
  }
  if (stream->avail_in == 0) return ccurl_inflated_some;
  return stream->next_in[0] == 0x1f && zlib.reset(stream) == Z_OK ? ccurl_inflated_some : ccurl_inflated_broken;
}

ccurl_inflated ccurl_inflate_run(
    ccurl_inflate *inflate, const uint8_t *bytes, size_t count, size_t *taken, uint8_t *room, size_t size,
    size_t *made) {
  z_stream *stream = &inflate->stream;
  *taken = *made = 0;
  stream->next_in = bytes;
  stream->avail_in = (unsigned)count;
  stream->next_out = room;
  stream->avail_out = (unsigned)size;
  ccurl_inflated result = ccurl_inflated_some;
  bool has_begun = stream->total_in > 0 || count > 0;
  while (has_begun && stream->avail_out > 0) {
    if (inflate->is_whole && stream->total_in > 0) {
      result = begin_again(inflate);
      if (result != ccurl_inflated_some || stream->avail_in == 0) break;
    }
    inflate->is_whole = false;
    int code = zlib.run(stream, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
      inflate->is_whole = true;
    } else if (code == Z_BUF_ERROR || (code == Z_OK && stream->avail_in == 0 && stream->avail_out > 0)) {
      break;  // needs more bytes
    } else if (code != Z_OK) {
      result = code == Z_MEM_ERROR ? ccurl_inflated_no_memory : ccurl_inflated_broken;
      break;
    }
  }
  *taken = count - stream->avail_in;
  *made = size - stream->avail_out;
  return result;
}

// The encoder of a file, member by member.

struct ccurl_deflate {
  z_stream stream;
};

ccurl_deflate *ccurl_deflate_new(void) {
  if (!ccurl_can_inflate()) return NULL;
  ccurl_deflate *deflate = ccurl_fails() ? NULL : calloc(1, sizeof *deflate);
  if (!deflate) return NULL;
  if (ccurl_fails() || zlib.deflate_init(&deflate->stream, usual_level, Z_DEFLATED, widest_window_and_gzip_header,
                                         usual_memory, 0, "1", (int)sizeof deflate->stream) != Z_OK) {
    free(deflate);
    return NULL;
  }
  return deflate;
}

void ccurl_deflate_free(ccurl_deflate *deflate) {
  zlib.deflate_end(&deflate->stream);
  free(deflate);
}

bool ccurl_deflate_run(
    ccurl_deflate *deflate, const uint8_t *bytes, size_t count, bool ends, size_t *taken, uint8_t *room, size_t size,
    size_t *made) {
  z_stream *stream = &deflate->stream;
  stream->next_in = bytes;
  stream->avail_in = (unsigned)count;
  stream->next_out = room;
  stream->avail_out = (unsigned)size;
  int code = zlib.deflate(stream, ends ? Z_FINISH : Z_NO_FLUSH);
  *taken = count - stream->avail_in;
  *made = size - stream->avail_out;
  bool has_ended = code == Z_STREAM_END;
  if (has_ended) zlib.deflate_reset(stream);
  return has_ended || (!ends && stream->avail_in == 0 && stream->avail_out > 0);
}
