// Hides what a program could find its arguments by: `environ` moves away from them, and /proc can't be opened.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void move_environment(void) { setenv("MOVED", "1", 1); }

static FILE *open_unless_hidden(const char *name, const char *path, const char *mode) {
  FILE *(*real)(const char *, const char *) = dlsym(RTLD_NEXT, name);
  if (strncmp(path, "/proc", 5) != 0) return real(path, mode);
  errno = ENOENT;
  return NULL;
}

FILE *fopen(const char *path, const char *mode) { return open_unless_hidden("fopen", path, mode); }
FILE *fopen64(const char *path, const char *mode) { return open_unless_hidden("fopen64", path, mode); }
