// Fault injection for tests. Each call in this room that can fail fails once, and nothing may crash, hang or leak. curl
// tests itself in the same way, and calls it torture: https://everything.curl.dev/internals/tests/torture.html.

#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "Library.h"

static atomic_bool is_armed;
static atomic_long countdown;

bool ccurl_fails(void) {
  return atomic_load_explicit(&is_armed, memory_order_relaxed) && atomic_fetch_sub(&countdown, 1) == 1;
}

void ccurl_faults_arm(long number) {
  atomic_store(&countdown, number);
  atomic_store(&is_armed, number > 0);
}

bool ccurl_faults_disarm(void) {
  atomic_store(&is_armed, false);
  return atomic_load(&countdown) <= 0;
}

// A library whose functions fail when the countdown ends, and otherwise call the real ones.

static const ccurl_library *real;
static atomic_long live;

static CURL *easy_init(void) {
  CURL *easy = ccurl_fails() ? NULL : real->curl_easy_init();
  if (easy) atomic_fetch_add(&live, 1);
  return easy;
}

static void easy_cleanup(CURL *easy) {
  atomic_fetch_sub(&live, 1);
  real->curl_easy_cleanup(easy);
}

// The number of an option determines the type of its value: see Options.h.
static int easy_setopt(CURL *easy, int option, ...) {
  if (ccurl_fails()) return 27;  // CURLE_OUT_OF_MEMORY
  va_list values;
  va_start(values, option);
  int code;
  if (option >= 30000) {
    code = real->curl_easy_setopt(easy, option, va_arg(values, int64_t));
  } else if (option >= 10000) {
    code = real->curl_easy_setopt(easy, option, va_arg(values, void *));
  } else {
    code = real->curl_easy_setopt(easy, option, va_arg(values, long));
  }
  va_end(values);
  return code;
}

static int easy_getinfo(CURL *easy, int info, ...) {
  va_list values;
  va_start(values, info);
  int code = ccurl_fails() ? 48 : real->curl_easy_getinfo(easy, info, va_arg(values, void *));  // CURLE_UNKNOWN_OPTION
  va_end(values);
  return code;
}

static int easy_pause(CURL *easy, int bits) {
  return ccurl_fails() ? 27 : real->curl_easy_pause(easy, bits);
}

static struct curl_slist *slist_append(struct curl_slist *list, const char *text) {
  return ccurl_fails() ? NULL : real->curl_slist_append(list, text);
}

static CURLM *multi_init(void) {
  CURLM *multi = ccurl_fails() ? NULL : real->curl_multi_init();
  if (multi) atomic_fetch_add(&live, 1);
  return multi;
}

static int multi_cleanup(CURLM *multi) {
  atomic_fetch_sub(&live, 1);
  return real->curl_multi_cleanup(multi);
}

enum { out_of_memory = 3 };  // CURLM_OUT_OF_MEMORY

static int multi_add_handle(CURLM *multi, CURL *easy) {
  return ccurl_fails() ? out_of_memory : real->curl_multi_add_handle(multi, easy);
}

static int multi_remove_handle(CURLM *multi, CURL *easy) {
  return ccurl_fails() ? out_of_memory : real->curl_multi_remove_handle(multi, easy);
}

static int multi_perform(CURLM *multi, int *running) {
  return ccurl_fails() ? out_of_memory : real->curl_multi_perform(multi, running);
}

static int multi_poll(CURLM *multi, struct curl_waitfd *others, unsigned count, int time, int *ready) {
  return ccurl_fails() ? out_of_memory : real->curl_multi_poll(multi, others, count, time, ready);
}

static int multi_wakeup(CURLM *multi) { return ccurl_fails() ? out_of_memory : real->curl_multi_wakeup(multi); }

const ccurl_library *ccurl_faults_library(const ccurl_library *library) {
  static ccurl_library failing;
  real = library;
  failing = *library;
  failing.curl_easy_init = easy_init;
  failing.curl_easy_cleanup = easy_cleanup;
  failing.curl_easy_setopt = easy_setopt;
  failing.curl_easy_getinfo = easy_getinfo;
  failing.curl_easy_pause = easy_pause;
  failing.curl_slist_append = slist_append;
  failing.curl_multi_init = multi_init;
  failing.curl_multi_cleanup = multi_cleanup;
  failing.curl_multi_add_handle = multi_add_handle;
  failing.curl_multi_remove_handle = multi_remove_handle;
  failing.curl_multi_perform = multi_perform;
  failing.curl_multi_poll = multi_poll;
  failing.curl_multi_wakeup = multi_wakeup;
  return &failing;
}

long ccurl_faults_live(void) { return atomic_load(&live); }
