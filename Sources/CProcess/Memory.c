// The memory that a command needs. Swift's runtime ends the process without a word where it gets none, so the check comes
// before its first line.

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/// Memory for libcurl, the libraries that it loads, a thread and a small page; the smallest that worked was 18 MB.
enum { least = 32 << 20 };

static const char message[] =
    "pagecat: error: a process here may not have 32 MB more of memory, which are needed: see 'ulimit -v'\n";

/// The exit code of a command that can't begin.
enum { exit_usage = 2 };

__attribute__((constructor)) static void check_memory(void) {
  // The mapping takes no memory, since nothing is written to it.
  void *room = mmap(NULL, least, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0);
  if (room != MAP_FAILED) {
    munmap(room, least);
    return;
  }
  ssize_t written = write(STDERR_FILENO, message, strlen(message));
  (void)written;
  _exit(exit_usage);
}
