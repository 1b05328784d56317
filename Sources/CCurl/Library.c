// Loads libcurl, and keeps threads out of it when the process exits.

#include "Library.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "Options.h"

static atomic_int inside;
static atomic_bool is_exiting;

static void wait_for_threads(void) {
  atomic_store(&is_exiting, true);
  // The wait is bounded: a thread may be waiting for a name server, which does no harm.
  for (int i = 0; i < 250 && atomic_load(&inside) > 0; i++) usleep(1000);
}

void ccurl_enter(void) {
  atomic_fetch_add(&inside, 1);
  if (!atomic_load(&is_exiting)) return;
  atomic_fetch_sub(&inside, 1);
  for (;;) pause();
}

void ccurl_leave(void) { atomic_fetch_sub(&inside, 1); }

static bool find_functions(void *file, ccurl_library *library) {
#define CCURL_FIND(result, name, parameters) \
  if (ccurl_fails() || !(*(void **)&library->name = dlsym(file, #name))) return false;
  CCURL_FUNCTIONS(CCURL_FIND)
#undef CCURL_FIND
  return true;
}

// The opened libraries, so that none is set up twice.
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static const ccurl_library *opened;

static const ccurl_library *set_up(void *file) {
  for (const ccurl_library *library = opened; library; library = library->next) {
    if (library->file == file) return library;
  }
  ccurl_library *library = ccurl_fails() ? NULL : calloc(1, sizeof *library);
  // CURL_GLOBAL_DEFAULT is 3. From 7.84 on, other threads may run during the call. Before, they may if they don't use
  // libcurl; the TLS libraries of that time (OpenSSL 1.1, GnuTLS 3) guard their own globals.
  if (!library || !find_functions(file, library) || ccurl_fails() || library->curl_global_init(3) != 0) {
    free(library);
    return NULL;
  }
  // Register after the first curl_global_init, so that this handler runs before those of the TLS library.
  if (!opened) atexit(wait_for_threads);
  library->file = file;
  library->announces_connections = library->curl_version_info(0)->version_num >= 0x075000;
  library->tells_tls_options = library->curl_version_info(0)->version_num >= 0x075301;
  library->tells_resets = library->curl_version_info(0)->version_num >= 0x080100;
  ccurl_find_decoders();
  library->next = opened;
  return opened = library;
}

ccurl_outcome ccurl_open(const char *name, unsigned floor, const ccurl_library **library, char version[32]) {
  // Bind lazily: only a few of thousands of functions are called.
  void *file = ccurl_fails() ? NULL : dlopen(name, RTLD_LAZY | RTLD_LOCAL);
  if (!file) return ccurl_missing;
  const curl_version_info_data *(*version_info)(int) = NULL;
  *(void **)&version_info = dlsym(file, "curl_version_info");
  if (!version_info) return ccurl_missing;
  const curl_version_info_data *info = version_info(0);  // CURLVERSION_FIRST covers all fields that are read here
  snprintf(version, 32, "%s", info->version);
  if (info->version_num < floor) return ccurl_too_old;
  pthread_mutex_lock(&opening);
  *library = set_up(file);
  pthread_mutex_unlock(&opening);
  return *library ? ccurl_opened : ccurl_broken;
}

const ccurl_library *ccurl_library_as_before_7_80(const ccurl_library *library) {
  static ccurl_library old;
  pthread_mutex_lock(&opening);
  if (!old.file) {
    old = *library;
    old.announces_connections = false;
    old.tells_tls_options = false;
    old.tells_resets = false;
  }
  pthread_mutex_unlock(&opening);
  return &old;
}

int ccurl_start_thread(void (*run)(void *), void *context) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  pthread_t thread;
  int code = ccurl_fails() ? EAGAIN : pthread_create(&thread, NULL, (void *(*)(void *))(void *)run, context);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  if (code == 0) pthread_detach(thread);
  return code;
}

int ccurl_option_number(const ccurl_library *library, const char *name) {
  const curl_easyoption *option = library->curl_easy_option_by_name(name);
  return option ? option->id : -1;
}

#define CCURL_ROW(name, number) {#name, number},
static const struct {
  const char *name;
  int number;
} used_options[] = {CCURL_OPTIONS(CCURL_ROW)};
#undef CCURL_ROW

static const size_t used_option_count = sizeof used_options / sizeof used_options[0];

int ccurl_used_option_number(size_t index) { return index < used_option_count ? used_options[index].number : -1; }

const char *ccurl_used_option_name(size_t index) {
  return index < used_option_count ? used_options[index].name : "";
}
