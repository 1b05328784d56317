// The functions of libcurl that are used, declared by hand: https://curl.se/libcurl/c/allfuncs.html.
#ifndef PAGECAT_CCURL_LIBRARY_H
#define PAGECAT_CCURL_LIBRARY_H

#include "CCurl.h"

typedef void CURL;
typedef void CURLM;


// As <curl/curl.h> has it.
struct curl_slist {
  char *data;
  struct curl_slist *next;
};
struct curl_waitfd;

typedef struct {
  int message;  // CURLMSG_DONE is 1
  CURL *easy;
  union {
    void *whatever;
    int result;
  } data;
} CURLMsg;

// The beginning of curl_version_info_data, to which versions only add at its end.
typedef struct {
  int age;
  const char *version;
  unsigned version_num;
} curl_version_info_data;

// The result of curl_easy_option_by_name (7.73).
typedef struct {
  const char *name;
  int id;
} curl_easyoption;

// curl_easy_setopt, curl_easy_getinfo and curl_multi_setopt are variadic, and must be called as such: some platforms
// pass variadic arguments in other places than named ones.
#define CCURL_FUNCTIONS(FUNCTION)                                                          \
  FUNCTION(int, curl_global_init, (long))                                                  \
  FUNCTION(const curl_version_info_data *, curl_version_info, (int))                       \
  FUNCTION(const curl_easyoption *, curl_easy_option_by_name, (const char *))              \
  FUNCTION(CURL *, curl_easy_init, (void))                                                 \
  FUNCTION(void, curl_easy_cleanup, (CURL *))                                              \
  FUNCTION(void, curl_easy_reset, (CURL *))                                                \
  FUNCTION(int, curl_easy_setopt, (CURL *, int, ...))                                      \
  FUNCTION(int, curl_easy_getinfo, (CURL *, int, ...))                                     \
  FUNCTION(int, curl_easy_pause, (CURL *, int))                                            \
  FUNCTION(const char *, curl_easy_strerror, (int))                                        \
  FUNCTION(struct curl_slist *, curl_slist_append, (struct curl_slist *, const char *))    \
  FUNCTION(void, curl_slist_free_all, (struct curl_slist *))                               \
  FUNCTION(CURLM *, curl_multi_init, (void))                                               \
  FUNCTION(int, curl_multi_cleanup, (CURLM *))                                             \
  FUNCTION(int, curl_multi_setopt, (CURLM *, int, ...))                                    \
  FUNCTION(int, curl_multi_add_handle, (CURLM *, CURL *))                                  \
  FUNCTION(int, curl_multi_remove_handle, (CURLM *, CURL *))                               \
  FUNCTION(int, curl_multi_perform, (CURLM *, int *))                                      \
  FUNCTION(CURLMsg *, curl_multi_info_read, (CURLM *, int *))                              \
  FUNCTION(int, curl_multi_poll, (CURLM *, struct curl_waitfd *, unsigned, int, int *))    \
  FUNCTION(int, curl_multi_wakeup, (CURLM *))

#define CCURL_MEMBER(result, name, parameters) result(*name) parameters;
struct ccurl_library {
  // The handle of dlopen, and the library that was opened before this one.
  void *file;
  const ccurl_library *next;
  // True if the library says when there is a connection: CURLOPT_PREREQFUNCTION, since 7.80.
  bool announces_connections;
  // True if the library shares no connection whose options of TLS differ (CURLOPT_SSL_OPTIONS), since 7.83.1.
  bool tells_tls_options;
  // True if an HTTP/2 stream that the server resets without an error (NO_ERROR) before its end is an error: since 8.1.
  bool tells_resets;
  CCURL_FUNCTIONS(CCURL_MEMBER)
};
#undef CCURL_MEMBER

struct ccurl_easy {
  const ccurl_library *library;
  CURL *handle;
  ccurl_inflow *inflow;
  struct curl_slist *fields;
  struct curl_slist *last_field;
  // Of the same multi.
  ccurl_easy *next;
  // Returns true for a peer address that is not allowed; NULL to allow all.
  bool (*refuses)(const char *address);
  bool is_peer_refused;
  // The connection by its ports, local and remote, once it was announced.
  uint32_t connection;
  // Number of connections on which the request could be sent, and whether the last repeat was refused.
  unsigned tries;
  bool is_repeat_refused;
  // True if the end of a TLS connection is watched, and if the server announced it by a close_notify.
  bool watches_end, is_end_notified;
  // True if the request uses no connection that was there before.
  bool is_fresh;
  bool is_tls;
  // True if the environment names a proxy.
  bool has_proxy;
  // The first CURLcode with which an option was refused.
  int refused;
  char problem[256];  // CURL_ERROR_SIZE
};

// Reports that a call must fail for a test (Faults.c). It costs one load of a flag.
bool ccurl_fails(void);

// Finds the decoders that libcurl has loaded (Inflate.c).
void ccurl_find_decoders(void);

// The callbacks (Inflow.c), and the functions of an inflow that Easy.c uses.
size_t ccurl_on_head(char *bytes, size_t size, size_t count, void *context);
size_t ccurl_on_body(char *bytes, size_t size, size_t count, void *context);
void ccurl_inflow_set_peer(ccurl_inflow *inflow, const char *peer);
void ccurl_inflow_set_connect_time(ccurl_inflow *inflow, int64_t microseconds);
// Marks the request as sent; returns false if it was cancelled before.
bool ccurl_inflow_may_send(ccurl_inflow *inflow);

#endif
