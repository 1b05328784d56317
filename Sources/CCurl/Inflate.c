// gzip and deflate in both directions, and zstd and brotli for reading. Bodies are decoded here and not by libcurl: libcurl (7.88 and later) accepts a truncated compressed body as
// whole. Only the decoder can detect that. The decoder is zlib's. libcurl needs zlib as well, so it is available
// wherever libcurl is. Its ABI has been stable since 1.0 (https://zlib.net/manual.html). zstd and brotli are used if
// libcurl has loaded their decoders for itself, so that they cost no run a file (https://facebook.github.io/zstd,
// https://brotli.org).

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
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
  widest_window_without_header = -15,
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
  unsigned long (*crc32)(unsigned long, const uint8_t *, unsigned);
} zlib;

// ZSTD_inBuffer and ZSTD_outBuffer.
typedef struct {
  const void *bytes;
  size_t size;
  size_t position;
} zstd_input;

typedef struct {
  void *bytes;
  size_t size;
  size_t position;
} zstd_output;

enum {
  ZSTD_d_windowLogMax = 100,
  // 8 MB, the most that a body of HTTP may ask for (RFC 9659).
  widest_zstd_window = 23,
  ZSTD_error_frameParameter_windowTooLarge = 16,
  BROTLI_DECODER_RESULT_ERROR = 0,
  BROTLI_DECODER_RESULT_SUCCESS = 1,
};

static struct {
  void *(*create)(void);
  size_t (*release)(void *);
  size_t (*set)(void *, int, int);
  size_t (*run)(void *, zstd_output *, zstd_input *);
  unsigned (*is_error)(size_t);
  int (*error_code)(size_t);
} zstd;

static struct {
  void *(*create)(void *, void *, void *);
  void (*release)(void *);
  int (*run)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
} brotli;

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
  *(void **)&zlib.crc32 = dlsym(file, "crc32");
  is_loaded = is_loaded && zlib.crc32;
}

static atomic_bool has_zstd, has_brotli;

void ccurl_find_decoders(void) {
#if !defined(__APPLE__)
  void *file = dlopen("libzstd.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (file) {
    *(void **)&zstd.create = dlsym(file, "ZSTD_createDStream");
    *(void **)&zstd.release = dlsym(file, "ZSTD_freeDStream");
    *(void **)&zstd.set = dlsym(file, "ZSTD_DCtx_setParameter");
    *(void **)&zstd.run = dlsym(file, "ZSTD_decompressStream");
    *(void **)&zstd.is_error = dlsym(file, "ZSTD_isError");
    *(void **)&zstd.error_code = dlsym(file, "ZSTD_getErrorCode");
    atomic_store(&has_zstd, zstd.create && zstd.release && zstd.set && zstd.run && zstd.is_error);
  }
  file = dlopen("libbrotlidec.so.1", RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (file) {
    *(void **)&brotli.create = dlsym(file, "BrotliDecoderCreateInstance");
    *(void **)&brotli.release = dlsym(file, "BrotliDecoderDestroyInstance");
    *(void **)&brotli.run = dlsym(file, "BrotliDecoderDecompressStream");
    atomic_store(&has_brotli, brotli.create && brotli.release && brotli.run);
  }
#endif
}

bool ccurl_can_decode(ccurl_coding coding) {
  switch (coding) {
    case ccurl_zstd: return atomic_load(&has_zstd);
    case ccurl_brotli: return atomic_load(&has_brotli);
    default: return ccurl_can_inflate();
  }
}

uint32_t ccurl_crc32(uint32_t before, const uint8_t *bytes, size_t count) {
  return ccurl_can_inflate() ? (uint32_t)zlib.crc32(before, bytes, (unsigned)count) : 0;
}

bool ccurl_can_inflate(void) {
  pthread_once(&loading, load);
  return is_loaded;
}

struct ccurl_inflate {
  ccurl_coding coding;
  z_stream stream;
  // The decoder of zstd or brotli.
  void *decoder;
  // True if the body may end here: at its start, or at the end of a stream.
  bool is_whole;
  // True if a brotli stream has begun.
  bool has_begun;
};

static bool begin(ccurl_inflate *inflate) {
  if (ccurl_fails()) return false;
  switch (inflate->coding) {
    case ccurl_zstd:
      inflate->decoder = zstd.create();
      if (!inflate->decoder) return false;
      // Versions before 1.4 don't know the limit, and have their own of 128 MB.
      zstd.set(inflate->decoder, ZSTD_d_windowLogMax, widest_zstd_window);
      return true;
    case ccurl_brotli:
      inflate->decoder = brotli.create(NULL, NULL, NULL);
      return inflate->decoder != NULL;
    default: {
      int window = inflate->coding == ccurl_raw_deflate ? widest_window_without_header : any_window_and_header;
      return zlib.init(&inflate->stream, window, "1", (int)sizeof inflate->stream) == Z_OK;
    }
  }
}

ccurl_inflate *ccurl_inflate_new(ccurl_coding coding) {
  if (!ccurl_can_decode(coding)) return NULL;
  ccurl_inflate *inflate = ccurl_fails() ? NULL : calloc(1, sizeof *inflate);
  if (!inflate) return NULL;
  inflate->coding = coding;
  if (!begin(inflate)) {
    free(inflate);
    return NULL;
  }
  inflate->is_whole = true;
  return inflate;
}

void ccurl_inflate_free(ccurl_inflate *inflate) {
  switch (inflate->coding) {
    case ccurl_zstd: zstd.release(inflate->decoder); break;
    case ccurl_brotli: brotli.release(inflate->decoder); break;
    default: zlib.end(&inflate->stream);
  }
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

static ccurl_inflated run_zstd(
    ccurl_inflate *inflate, const uint8_t *bytes, size_t count, size_t *taken, uint8_t *room, size_t size,
    size_t *made) {
  zstd_input input = {bytes, count, 0};
  zstd_output output = {room, size, 0};
  ccurl_inflated result = ccurl_inflated_some;
  // A body may have several frames (RFC 8878 §3).
  while (output.position < size) {
    size_t before = input.position + output.position;
    if (inflate->is_whole && input.position == count) break;
    size_t code = zstd.run(inflate->decoder, &output, &input);
    if (zstd.is_error(code)) {
      bool is_wide = zstd.error_code && zstd.error_code(code) == ZSTD_error_frameParameter_windowTooLarge;
      result = is_wide ? ccurl_inflated_too_wide : ccurl_inflated_broken;
      break;
    }
    inflate->is_whole = code == 0;
    if (input.position + output.position == before) break;  // needs more bytes
  }
  *taken = input.position;
  *made = output.position;
  return result;
}

static ccurl_inflated run_brotli(
    ccurl_inflate *inflate, const uint8_t *bytes, size_t count, size_t *taken, uint8_t *room, size_t size,
    size_t *made) {
  size_t in = count, out = size;
  if (inflate->is_whole && inflate->has_begun) {
    // Nothing may follow the end of the stream.
    *taken = count;
    return count == 0 ? ccurl_inflated_some : ccurl_inflated_broken;
  }
  int code = brotli.run(inflate->decoder, &in, &bytes, &out, &room, NULL);
  *taken = count - in;
  *made = size - out;
  inflate->has_begun = inflate->has_begun || count > 0;
  inflate->is_whole = code == BROTLI_DECODER_RESULT_SUCCESS;
  return code == BROTLI_DECODER_RESULT_ERROR || (inflate->is_whole && in > 0) ? ccurl_inflated_broken
                                                                             : ccurl_inflated_some;
}

ccurl_inflated ccurl_inflate_run(
    ccurl_inflate *inflate, const uint8_t *bytes, size_t count, size_t *taken, uint8_t *room, size_t size,
    size_t *made) {
  *taken = *made = 0;
  if (inflate->coding == ccurl_zstd) return run_zstd(inflate, bytes, count, taken, room, size, made);
  if (inflate->coding == ccurl_brotli) return run_brotli(inflate, bytes, count, taken, room, size, made);
  z_stream *stream = &inflate->stream;
  stream->next_in = bytes;
  stream->avail_in = (unsigned)count;
  stream->next_out = room;
  stream->avail_out = (unsigned)size;
  ccurl_inflated result = ccurl_inflated_some;
  bool has_begun = stream->total_in > 0 || count > 0;
  while (has_begun && stream->avail_out > 0) {
    if (inflate->is_whole && stream->total_in > 0) {
      // What follows the data of a zip archive is the archive's.
      if (inflate->coding == ccurl_raw_deflate) break;
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
