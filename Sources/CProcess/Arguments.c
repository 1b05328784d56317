// The arguments as the process was started with them. The Swift runtime looks for them in /proc, or on the stack beside
// `environ`, which moves when a library that is loaded before the program calls setenv.

#include "CProcess.h"

#include <limits.h>  // defines __GLIBC__ where that is the C library
#include <stddef.h>

static int count;
static char **arguments;

#if defined(__GLIBC__) || defined(__APPLE__)
// Both hand `main`'s parameters to every constructor; musl does not.
__attribute__((constructor)) static void keep(int argc, char **argv) {
  count = argc;
  arguments = argv;
}
#endif

int cprocess_argument_count(void) { return arguments ? count : 0; }

const char *cprocess_argument(int index) { return arguments[index]; }
