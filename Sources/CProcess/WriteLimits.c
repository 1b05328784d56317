// Landlock (landlock(7)), by its system calls: the C library has no functions for them.

#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE  // O_PATH
#endif

#include "CProcess.h"

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/// The numbers are the same on every architecture.
enum { create_ruleset = 444, add_rule = 445, restrict_self = 446 };
enum { ask_version = 1, rule_of_path = 1 };

/// Rights (LANDLOCK_ACCESS_FS_*): to write to files, and all others that change a folder: LANDLOCK_ACCESS_FS_REMOVE_DIR to
/// LANDLOCK_ACCESS_FS_MAKE_SYM. Renaming into another folder is version 2, truncating is version 3.
enum { write_file = 1 << 1, change_folder = 0x1FF << 4, refer = 1 << 13, truncate_file = 1 << 14 };

struct ruleset {
  uint64_t rights;
};

struct path_rule {
  uint64_t rights;
  int32_t file;
} __attribute__((packed));

/// The rights that this kernel knows.
static struct ruleset all;
static uint64_t of_file;

int cprocess_write_limits(void) {
  long version = syscall(create_ruleset, NULL, 0, ask_version);
  if (version < 1) return -1;
  of_file = write_file | (version >= 3 ? truncate_file : 0);
  all.rights = of_file | change_folder | (version >= 2 ? refer : 0);
  return (int)syscall(create_ruleset, &all, sizeof all, 0);
}

bool cprocess_write_limits_allow(int limits, const char *path) {
  struct path_rule rule = {0, -1};
  do {
    rule.file = open(path, O_PATH | O_CLOEXEC);
  } while (rule.file < 0 && errno == EINTR);
  // What is not there is made in its folder.
  if (rule.file < 0) return errno == ENOENT;
  struct stat info;
  bool is_allowed = fstat(rule.file, &info) == 0;
  if (is_allowed) {
    rule.rights = S_ISDIR(info.st_mode) ? all.rights : of_file;
    // A pipe without a name is not limited, and can't be named (EBADFD).
    is_allowed = syscall(add_rule, limits, rule_of_path, &rule, 0) == 0 || errno == EBADFD;
  }
  close(rule.file);
  return is_allowed;
}

bool cprocess_write_limits_begin(int limits) {
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && syscall(restrict_self, limits, 0) == 0;
}

#else

int cprocess_write_limits(void) { return -1; }

bool cprocess_write_limits_allow(int limits, const char *path) { return limits >= 0 && path; }

bool cprocess_write_limits_begin(int limits) { return limits >= 0; }

#endif
