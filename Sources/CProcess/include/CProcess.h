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

/// A new set of limits for writing, as a descriptor; less than 0 where the kernel can't do it (before Linux 5.13, or not
/// Linux). It has no effect until it begins.
int cprocess_write_limits(void);

/// Allows writing below a folder, or to a file. Returns false if that fails; a path that does not exist is no failure.
bool cprocess_write_limits_allow(int limits, const char *path);

/// Lets this thread, and the threads that it starts from now on, write to what is allowed only.
///
/// Files that are open already stay open, and reading is not limited.
bool cprocess_write_limits_begin(int limits);

#endif
