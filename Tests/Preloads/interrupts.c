// Interrupts every second call of each kind that the program itself makes for files, as a signal would (EINTR).

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

/// Whether a call comes from the program or the C library's Swift module, and not from another library.
static int is_ours(void *address) {
  Dl_info info;
  if (!dladdr(address, &info) || !info.dli_fname) return 0;
  const char *name = strrchr(info.dli_fname, '/');
  name = name ? name + 1 : info.dli_fname;
  return strcmp(name, "pagecat") == 0 || strstr(name, "libswiftGlibc") != NULL;
}

/// Whether a descriptor is one that a run reads or writes: a standard one, a folder, or a file on a disk.
///
/// A sanitizer's own `read` is in the program, so that the calls of every library seem to come from there. libdispatch reads
/// /proc and its event descriptors, and ends the process where that fails.
static int is_of_a_run(int file) {
  if (file <= STDERR_FILENO) return 1;
  struct stat status;
  struct statfs system;
  if (fstat(file, &status) || fstatfs(file, &system)) return 0;
  return (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode)) && system.f_type != 0x9fa0;  // PROC_SUPER_MAGIC
}

#define INTERRUPT                                                     \
  static __thread int calls;                                          \
  if (is_ours(__builtin_return_address(0)) && calls++ % 2 == 0) {     \
    errno = EINTR;                                                    \
    return -1;                                                        \
  }

#define WRAP_FILE(RESULT, NAME, PARAMETERS, ARGUMENTS)     \
  RESULT NAME PARAMETERS {                                 \
    if (is_of_a_run(file)) {                               \
      INTERRUPT                                            \
    }                                                      \
    RESULT(*real) PARAMETERS = dlsym(RTLD_NEXT, #NAME);    \
    return real ARGUMENTS;                                 \
  }

#define WRAP(RESULT, NAME, PARAMETERS, ARGUMENTS) \
  RESULT NAME PARAMETERS {                        \
    INTERRUPT                                     \
    RESULT(*real) PARAMETERS = dlsym(RTLD_NEXT, #NAME); \
    return real ARGUMENTS;                        \
  }

// Whether a call with these flags has a mode.
#define HAS_MODE(FLAGS) (FLAGS & O_CREAT || (FLAGS & O_TMPFILE) == O_TMPFILE)

#define WRAP_OPEN(NAME)                                             \
  int NAME(const char *path, int flags, ...) {                      \
    if (strncmp(path, "/proc/", 6) != 0) {                          \
      INTERRUPT                                                     \
    }                                                               \
    va_list rest;                                                   \
    va_start(rest, flags);                                          \
    mode_t mode = HAS_MODE(flags) ? va_arg(rest, mode_t) : 0;       \
    va_end(rest);                                                   \
    int (*real)(const char *, int, ...) = dlsym(RTLD_NEXT, #NAME);  \
    return real(path, flags, mode);                                 \
  }

int openat(int folder, const char *path, int flags, ...) {
  INTERRUPT
  va_list rest;
  va_start(rest, flags);
  mode_t mode = HAS_MODE(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  int (*real)(int, const char *, int, ...) = dlsym(RTLD_NEXT, "openat");
  return real(folder, path, flags, mode);
}

WRAP_OPEN(open)
WRAP_FILE(ssize_t, read, (int file, void *bytes, size_t count), (file, bytes, count))
WRAP_FILE(ssize_t, write, (int file, const void *bytes, size_t count), (file, bytes, count))
WRAP_FILE(ssize_t, pread, (int file, void *bytes, size_t count, off_t offset), (file, bytes, count, offset))
WRAP_FILE(ssize_t, pwrite, (int file, const void *bytes, size_t count, off_t offset), (file, bytes, count, offset))
WRAP_FILE(int, fsync, (int file), (file))
WRAP_FILE(int, ftruncate, (int file, off_t size), (file, size))
WRAP_FILE(int, flock, (int file, int operation), (file, operation))
#ifdef __GLIBC__
WRAP_OPEN(open64)
WRAP_FILE(ssize_t, pread64, (int file, void *bytes, size_t count, off64_t offset), (file, bytes, count, offset))
WRAP_FILE(ssize_t, pwrite64, (int file, const void *bytes, size_t count, off64_t offset), (file, bytes, count, offset))
WRAP_FILE(int, ftruncate64, (int file, off64_t size), (file, size))
#endif
WRAP(int, rename, (const char *old, const char *new), (old, new))
WRAP(int, renameat, (int folder, const char *old, int to, const char *new), (folder, old, to, new))
WRAP(int, unlink, (const char *path), (path))
WRAP(int, unlinkat, (int folder, const char *path, int flags), (folder, path, flags))
