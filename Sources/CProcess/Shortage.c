// libdispatch calls sleep(1) again and again where pthread_create or malloc fails, and the thread that it does so on is
// often the only one there is: the process hangs, with its signals blocked. This `sleep` stands before the C library's.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE  // dladdr
#endif

#include "CProcess.h"

#if defined(__linux__)

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/// How often a shortage is looked at again, and how long: what passes by itself within this time ends nobody.
enum { longest_tries = 8, milliseconds_between = 100 };

static char message[512];
static int exit_code;
static atomic_bool is_watched;

void cprocess_end_when_short(const char *text, int code) {
  strncpy(message, text, sizeof message - 1);
  exit_code = code;
  atomic_store(&is_watched, true);
}

/// Whether an address is in libdispatch: a library of its own, or a part of this program.
static bool is_dispatch(void *address) {
  Dl_info caller, own;
  if (!dladdr(address, &caller) || !caller.dli_fname) return false;
  if (strstr(caller.dli_fname, "libdispatch")) return true;
  return dladdr(message, &own) && caller.dli_fbase == own.dli_fbase;
}

static long milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

/// A pause of a shortage: short, and the last of several in a row ends the process.
static void pause_briefly(void) {
  static _Thread_local int tries;
  static _Thread_local long last;
  tries = last != 0 && milliseconds() - last < milliseconds_between ? tries + 1 : 1;
  if (tries >= longest_tries) {
    ssize_t written = write(STDERR_FILENO, message, strlen(message));
    (void)written;
    _exit(exit_code);
  }
  nanosleep(&(struct timespec){.tv_nsec = milliseconds_between * 1000000L}, NULL);
  last = milliseconds();
}

unsigned sleep(unsigned seconds) {
  if (atomic_load(&is_watched) && is_dispatch(__builtin_return_address(0))) {
    pause_briefly();
    return 0;
  }
  struct timespec rest = {.tv_sec = seconds};
  return nanosleep(&rest, &rest) == 0 ? 0 : (unsigned)rest.tv_sec + (rest.tv_nsec >= 500000000);
}

#else

void cprocess_end_when_short(const char *text, int code) {
  (void)text;
  (void)code;
}

#endif
