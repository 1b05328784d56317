#include "CProcess.h"

#include <pthread.h>
#include <signal.h>

/// Enough for what a listener does, and little where memory is limited (`ulimit -v`): by itself a thread takes 8 MB.
static const size_t stack_size = 1 << 20;

static void *start(void *run) {
  ((void (*)(void))run)();
  return NULL;
}

int cprocess_start_thread(void (*run)(void)) {
  pthread_attr_t attributes;
  int code = pthread_attr_init(&attributes);
  if (code != 0) return code;
  pthread_attr_setstacksize(&attributes, stack_size);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_t thread;
  code = pthread_create(&thread, &attributes, start, (void *)run);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  pthread_attr_destroy(&attributes);
  return code;
}
