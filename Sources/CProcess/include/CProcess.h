// The parts of the process itself that Swift does not reach: its arguments, a thread that may fail to start, the wait of
// libdispatch for a thread that never comes, and a check of the memory before Swift's runtime needs any (`Memory.c`).

#ifndef CPROCESS_H
#define CPROCESS_H

#include <stdbool.h>

/// How many arguments the process was started with, its name included; 0 where the C library does not say.
int cprocess_argument_count(void);

/// The argument at an index below the count. It lives as long as the process.
const char *cprocess_argument(int index);

/// Starts a thread in which all signals are blocked.
///
/// Returns 0, or the error number of the system: then nothing was started.
int cprocess_start_thread(void (*run)(void));

/// Ends the process with a message on standard error and an exit code where libdispatch gets no thread or no memory for
/// most of a second. Without this call libdispatch waits for ever.
///
/// The message is copied. Only Linux needs it; elsewhere the kernel has the threads ready.
void cprocess_end_when_short(const char *message, int exit_code);

/// Lets this thread, and the threads that it starts from now on, write only below these folders and to these files.
///
/// Files that are open already stay open, and reading is not limited. Returns false where the kernel can't do it (before
/// Linux 5.13, or not Linux): then nothing is limited. A negative count only asks for that.
bool cprocess_limit_writes(const char *const *paths, int count);

#endif
