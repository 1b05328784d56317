// One transfer: sets libcurl's options from a request, and reads the results.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "Library.h"
#include "Options.h"

// CURLINFO numbers: a kind (0x100000 string or pointer, 0x200000 long, 0x600000 curl_off_t) plus a serial number.
enum {
  INFO_PRIMARY_IP = 0x100000 + 32,
  INFO_HTTP_CONNECTCODE = 0x200000 + 22,
  INFO_OS_ERRNO = 0x200000 + 25,
  INFO_NUM_CONNECTS = 0x200000 + 26,
  INFO_PRIMARY_PORT = 0x200000 + 40,
  INFO_PROXY_SSL_VERIFYRESULT = 0x200000 + 47,
  INFO_SIZE_UPLOAD_T = 0x600000 + 7,
  INFO_SIZE_DOWNLOAD_T = 0x600000 + 8,
  INFO_CONNECT_TIME_T = 0x600000 + 52,     // microseconds; 7.61
  INFO_APPCONNECT_TIME_T = 0x600000 + 56,  // with TLS
};

enum {
  INFOTYPE_TEXT = 0,           // CURLINFO_TEXT
  SSL_NO_REVOKE = 2,           // CURLSSLOPT_NO_REVOKE
  HTTP_VERSION_1_1 = 2,        // CURL_HTTP_VERSION_1_1
  HTTP_VERSION_2TLS = 4,       // CURL_HTTP_VERSION_2TLS: HTTP/2 over TLS, 1.1 otherwise
  PROTOCOLS_HTTP_HTTPS = 1 | 2,  // CURLPROTO_HTTP | CURLPROTO_HTTPS
  PAUSE_CONT = 0,              // CURLPAUSE_CONT
  SSL_REVOKE_BEST_EFFORT = 8,  // CURLSSLOPT_REVOKE_BEST_EFFORT
  UNKNOWN_OPTION = 48,         // CURLE_UNKNOWN_OPTION: the library is older than the option
  // Bytes read from a socket at once. deflate expands them 1,032 times at most. The result must fit into the 64 MB that
  // a paused transfer may hold in 7.88: see Inflow.c.
  receive_buffer = 60 << 10,
};

ccurl_easy *ccurl_easy_new(const ccurl_library *library) {
  ccurl_easy *easy = ccurl_fails() ? NULL : calloc(1, sizeof *easy);
  if (!easy) return NULL;
  easy->library = library;
  easy->handle = library->curl_easy_init();
  if (easy->handle) return easy;
  free(easy);
  return NULL;
}

static void free_fields(ccurl_easy *easy) {
  easy->library->curl_slist_free_all(easy->fields);
  easy->fields = NULL;
  easy->last_field = NULL;
}

void ccurl_easy_free(ccurl_easy *easy) {
  easy->library->curl_easy_cleanup(easy->handle);
  free_fields(easy);
  free(easy);
}

static void note(ccurl_easy *easy, int code) {
  if (easy->refused == 0) easy->refused = code;
}

static void set_long(ccurl_easy *easy, int option, long value) {
  note(easy, easy->library->curl_easy_setopt(easy->handle, option, value));
}

static void set_pointer(ccurl_easy *easy, int option, const void *value) {
  note(easy, easy->library->curl_easy_setopt(easy->handle, option, value));
}

typedef size_t (*callback)(char *, size_t, size_t, void *);

static void set_callback(ccurl_easy *easy, int option, callback value) {
  note(easy, easy->library->curl_easy_setopt(easy->handle, option, value));
}

static void set_protocols(ccurl_easy *easy) {
  int code = easy->library->curl_easy_setopt(easy->handle, OPT_PROTOCOLS_STR, "http,https");  // since 7.85
  if (code == UNKNOWN_OPTION) {
    set_long(easy, OPT_PROTOCOLS, PROTOCOLS_HTTP_HTTPS);
  } else {
    note(easy, code);
  }
}

// Returns the port of a proxy in the form of the environment: `[scheme://][user@]host[:port]`.
static int proxy_port(const char *proxy) {
  const char *scheme_end = strstr(proxy, "://");
  const char *host = scheme_end ? scheme_end + 3 : proxy;
  const char *user_end = strrchr(host, '@');
  if (user_end) host = user_end + 1;
  const char *colon = strrchr(host, ':');
  const char *bracket = strrchr(host, ']');
  if (colon && (!bracket || colon > bracket)) return atoi(colon + 1);
  return strncmp(proxy, "https:", 6) == 0 ? 443 : 1080;
}

// Reports that the environment names a proxy for http or https, as libcurl reads it.
static bool has_proxy(void) {
  static const char *const names[] = {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *proxy = getenv(names[i]);
    if (proxy && *proxy) return true;
  }
  return false;
}

// Reports that a connection on this port may lead to a proxy. libcurl reports this reliably only from 8.7 on.
static bool may_be_proxy(const ccurl_easy *easy, int port) {
  if (!easy->has_proxy) return false;
  const char *const names[] = {easy->is_tls ? "https_proxy" : "http_proxy", easy->is_tls ? "HTTPS_PROXY" : "all_proxy",
                               "all_proxy", "ALL_PROXY"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const char *proxy = getenv(names[i]);
    if (proxy && *proxy) return proxy_port(proxy) == port;
  }
  return false;
}

// Reports that libcurl is about to send the request again. libcurl does so when a reused connection ended without an
// answer, though the server may have acted on the request. One repeat is allowed if the first connection was new:
// HTTP/2 has then reported that the server did nothing (RFC 9113 §8.7). To libcurl a connection that others share is a
// reused one for all of them, so that the repeat is allowed only for a request that wanted a fresh one.
static bool is_repeat(ccurl_easy *easy) {
  easy->tries++;
  bool may_share = !easy->is_fresh && ccurl_shares_connections(easy->library);
  return easy->tries > 2 || (easy->tries == 2 && (may_share || ccurl_easy_connection_used(easy)));
}

// Returns the microseconds until the connection was there, with the look-up of the name and TLS; 0 for a used one.
static int64_t connect_time(ccurl_easy *easy) {
  if (ccurl_easy_connection_used(easy)) return 0;
  int64_t plain = 0;
  int64_t secure = 0;
  easy->library->curl_easy_getinfo(easy->handle, INFO_CONNECT_TIME_T, &plain);
  easy->library->curl_easy_getinfo(easy->handle, INFO_APPCONNECT_TIME_T, &secure);
  return secure > plain ? secure : plain;
}

// Called when there is a connection, before anything is sent (CURLOPT_PREREQFUNCTION, 7.80).
static int on_connection(void *context, char *peer, char *local, int peer_port, int local_port) {
  (void)local;
  ccurl_easy *easy = context;
  easy->connection = (uint32_t)local_port << 16 | (uint32_t)peer_port;
  easy->is_repeat_refused = is_repeat(easy);
  if (easy->is_repeat_refused) return 1;
  if (!may_be_proxy(easy, peer_port)) {
    ccurl_inflow_set_peer(easy->inflow, peer);
    easy->is_peer_refused = easy->refuses && easy->refuses(peer);
  }
  ccurl_inflow_set_connect_time(easy->inflow, connect_time(easy));
  // CURL_PREREQFUNC_ABORT, CURL_PREREQFUNC_OK
  return easy->is_peer_refused || !ccurl_inflow_may_send(easy->inflow) ? 1 : 0;
}

// Libraries before 7.80 don't say when there is a connection. There the guard is asked before a socket is opened, the
// peer is known from the head on, and a request counts as sent from its beginning. libcurl then repeats a request by
// itself if a reused connection ends without an answer; requests that must not be repeated never use one.

// As <curl/curl.h> has struct curl_sockaddr.
typedef struct {
  int family;
  int kind;
  int protocol;
  unsigned length;
  struct sockaddr address;
} socket_address;

// Returns the port, and writes the address as text; "" if it is of another family.
static int describe(const struct sockaddr *address, char text[INET6_ADDRSTRLEN]) {
  text[0] = 0;
  if (address->sa_family == AF_INET) {
    struct sockaddr_in four;
    memcpy(&four, address, sizeof four);
    inet_ntop(AF_INET, &four.sin_addr, text, INET6_ADDRSTRLEN);
    return ntohs(four.sin_port);
  }
  if (address->sa_family != AF_INET6) return 0;
  struct sockaddr_in6 six;
  memcpy(&six, address, sizeof six);  // libcurl's own object has room for any family
  inet_ntop(AF_INET6, &six.sin6_addr, text, INET6_ADDRSTRLEN);
  return ntohs(six.sin6_port);
}

// CURLOPT_OPENSOCKETFUNCTION. A host may have several addresses, of which the last one that is tried counts.
static int on_socket(void *context, int purpose, const socket_address *wanted) {
  (void)purpose;
  ccurl_easy *easy = context;
  char peer[INET6_ADDRSTRLEN];
  int port = describe(&wanted->address, peer);
  easy->is_peer_refused = easy->refuses && !may_be_proxy(easy, port) && easy->refuses(peer);
  if (!easy->is_peer_refused) return socket(wanted->family, wanted->kind, wanted->protocol);
  ccurl_inflow_set_peer(easy->inflow, peer);
  return -1;  // CURL_SOCKET_BAD
}

static size_t on_head(char *bytes, size_t size, size_t count, void *context) {
  ccurl_easy *easy = context;
  long port = 0;
  const char *peer = NULL;
  easy->library->curl_easy_getinfo(easy->handle, INFO_PRIMARY_PORT, &port);
  easy->library->curl_easy_getinfo(easy->handle, INFO_PRIMARY_IP, &peer);
  if (peer && !may_be_proxy(easy, (int)port)) ccurl_inflow_set_peer(easy->inflow, peer);
  return ccurl_on_head(bytes, size, count, easy->inflow);
}

void ccurl_easy_set_guard(ccurl_easy *easy, bool (*refuses)(const char *address)) {
  easy->refuses = refuses;
  // A connection that is there already was opened without a guard.
  if (!easy->library->announces_connections) set_long(easy, OPT_FRESH_CONNECT, 1);
}

bool ccurl_easy_peer_refused(const ccurl_easy *easy) { return easy->is_peer_refused; }

bool ccurl_easy_connection_used(ccurl_easy *easy) {
  long made = 0;
  easy->library->curl_easy_getinfo(easy->handle, INFO_NUM_CONNECTS, &made);
  // libcurl would have repeated the request: see is_repeat.
  if (easy->is_repeat_refused && easy->tries == 2) return true;
  return made < (long)easy->tries;
}

uint32_t ccurl_easy_connection(const ccurl_easy *easy) { return easy->connection; }

// Returns the port of a socket address, and 0 for one of another family.
static unsigned port_of(const struct sockaddr_storage *address) {
  char text[INET6_ADDRSTRLEN];
  return (unsigned)describe((const struct sockaddr *)address, text);
}

// libcurl tells no socket of a transfer that is under way (CURLINFO_ACTIVESOCKET is about ended ones). The two ports
// find the socket, and the search is as rare as a server that stops to answer. The socket is shut down for reading
// only: a write after that would raise a signal in some TLS libraries.
void ccurl_easy_hang_up(const ccurl_easy *easy) {
  enum { most_searched = 1 << 16 };
  long most = sysconf(_SC_OPEN_MAX);
  if (most < 0 || most > most_searched) most = most_searched;
  for (int file = 0; easy->connection != 0 && file < (int)most; file++) {
    struct sockaddr_storage local, peer;
    socklen_t size = sizeof local;
    if (getsockname(file, (struct sockaddr *)&local, &size) != 0 || port_of(&local) != easy->connection >> 16) continue;
    size = sizeof peer;
    if (getpeername(file, (struct sockaddr *)&peer, &size) != 0) continue;
    if (port_of(&peer) == (easy->connection & 0xffff)) shutdown(file, SHUT_RD);
  }
}

bool ccurl_easy_repeat_refused(const ccurl_easy *easy) { return easy->is_repeat_refused; }

void ccurl_easy_begin_again(ccurl_easy *easy, ccurl_inflow *inflow) {
  easy->inflow = inflow;
  easy->refused = 0;
  easy->problem[0] = 0;
  easy->is_peer_refused = false;
  easy->tries = easy->library->announces_connections ? 0 : 1;
  easy->connection = 0;
  easy->is_repeat_refused = false;
  easy->is_end_notified = false;
  set_pointer(easy, OPT_HEADERDATA, easy->library->announces_connections ? (void *)inflow : easy);
  set_pointer(easy, OPT_WRITEDATA, inflow);
}

void ccurl_easy_begin(ccurl_easy *easy, ccurl_inflow *inflow) {
  easy->library->curl_easy_reset(easy->handle);
  free_fields(easy);
  easy->refuses = NULL;
  easy->is_fresh = false;
  easy->watches_end = false;
  ccurl_easy_begin_again(easy, inflow);
  if (easy->library->announces_connections) {
    note(easy, easy->library->curl_easy_setopt(easy->handle, OPT_PREREQFUNCTION, on_connection));
    set_pointer(easy, OPT_PREREQDATA, easy);
    set_callback(easy, OPT_HEADERFUNCTION, ccurl_on_head);
  } else {
    note(easy, easy->library->curl_easy_setopt(easy->handle, OPT_OPENSOCKETFUNCTION, on_socket));
    set_pointer(easy, OPT_OPENSOCKETDATA, easy);
    set_callback(easy, OPT_HEADERFUNCTION, on_head);
  }
  set_pointer(easy, OPT_ERRORBUFFER, easy->problem);
  set_callback(easy, OPT_WRITEFUNCTION, ccurl_on_body);
  set_protocols(easy);
  set_long(easy, OPT_NOSIGNAL, 1);
  set_long(easy, OPT_PATH_AS_IS, 1);
  set_long(easy, OPT_SUPPRESS_CONNECT_HEADERS, 1);
  set_long(easy, OPT_HTTP09_ALLOWED, 0);
  set_long(easy, OPT_BUFFERSIZE, receive_buffer);
  // Without a proxy, say so: otherwise libcurl searches the environment for each transfer.
  easy->has_proxy = has_proxy();
  if (!easy->has_proxy) {
    set_pointer(easy, OPT_PROXY, "");
    set_pointer(easy, OPT_NOPROXY, "");
  }
  // Errors are ignored: a library without HTTP/2 refuses the option, and speaks 1.1.
  easy->library->curl_easy_setopt(easy->handle, OPT_HTTP_VERSION, (long)HTTP_VERSION_2TLS);
}

void ccurl_easy_set_url(ccurl_easy *easy, const char *url) {
  easy->is_tls = strncasecmp(url, "https:", 6) == 0;
  set_pointer(easy, OPT_URL, url);
}

void ccurl_easy_set_method(ccurl_easy *easy, const char *method) { set_pointer(easy, OPT_CUSTOMREQUEST, method); }

void ccurl_easy_set_head(ccurl_easy *easy) { set_long(easy, OPT_NOBODY, 1); }

void ccurl_easy_set_body(ccurl_easy *easy, const void *bytes, size_t count) {
  set_long(easy, OPT_POST, 1);
  // The size comes first: COPYPOSTFIELDS copies as many bytes, and without a size searches for a terminator.
  int code = easy->library->curl_easy_setopt(easy->handle, OPT_POSTFIELDSIZE_LARGE, (int64_t)count);
  note(easy, code);
  if (code == 0) set_pointer(easy, OPT_COPYPOSTFIELDS, count > 0 ? bytes : "");
}

void ccurl_easy_add_field(ccurl_easy *easy, const char *line) {
  // Appended to the last field: libcurl looks for a list's end from where it is given the list.
  struct curl_slist *list = easy->library->curl_slist_append(easy->last_field, line);
  if (!list) {
    note(easy, 27);  // CURLE_OUT_OF_MEMORY
    return;
  }
  if (!easy->fields) easy->fields = list;
  easy->last_field = easy->last_field ? easy->last_field->next : list;
}

void ccurl_easy_set_connect_limit(ccurl_easy *easy, long milliseconds) {
  set_long(easy, OPT_CONNECTTIMEOUT_MS, milliseconds);
}

void ccurl_easy_set_fresh(ccurl_easy *easy, bool is_closed_after) {
  easy->is_fresh = true;
  set_long(easy, OPT_FRESH_CONNECT, 1);
  if (!is_closed_after) return;
  set_long(easy, OPT_FORBID_REUSE, 1);
  // Other requests share no connection whose options of TLS differ. This option has a meaning on Windows only. Errors
  // are ignored: a library without TLS refuses the option.
  easy->library->curl_easy_setopt(easy->handle, OPT_SSL_OPTIONS, (long)SSL_REVOKE_BEST_EFFORT);
}

// True once libcurl reported a message of TLS: not every TLS library shows them. It stays true.
static atomic_bool shows_tls;

static bool contains(const char *text, size_t size, const char *part) {
  size_t length = strlen(part);
  for (size_t i = 0; i + length <= size; i++) {
    if (memcmp(text + i, part, length) == 0) return true;
  }
  return false;
}

// CURLOPT_DEBUGFUNCTION. The text is `TLSv1.3 (IN), TLS alert, close notify (256):`.
static int on_debug(CURL *handle, int type, char *text, size_t size, void *context) {
  (void)handle;
  ccurl_easy *easy = context;
  if (!easy || type != INFOTYPE_TEXT || !contains(text, size, "(IN), TLS")) return 0;
  atomic_store_explicit(&shows_tls, true, memory_order_relaxed);
  if (contains(text, size, "close notify")) easy->is_end_notified = true;
  return 0;
}

void ccurl_easy_watch_end(ccurl_easy *easy) {
  easy->watches_end = true;
  // Older libraries take a body of HTTP/2 that was cut so for a whole one. HTTP/1.1 has a length, or chunks.
  if (!easy->library->tells_resets) ccurl_easy_refuse_http2(easy);
  note(easy, easy->library->curl_easy_setopt(easy->handle, OPT_DEBUGFUNCTION, on_debug));
  set_pointer(easy, OPT_DEBUGDATA, easy);
  set_long(easy, OPT_VERBOSE, 1);
  // A connection that was made without this function reports nothing. This option, which has a meaning on Windows only,
  // keeps such connections apart. Errors are ignored: a library without TLS refuses the option.
  easy->library->curl_easy_setopt(easy->handle, OPT_SSL_OPTIONS, (long)SSL_NO_REVOKE);
}

bool ccurl_easy_end_is_unproven(const ccurl_easy *easy) {
  return easy->watches_end && easy->is_tls && easy->library->tells_tls_options && !easy->is_end_notified
      && atomic_load_explicit(&shows_tls, memory_order_relaxed);
}

void ccurl_easy_refuse_http2(ccurl_easy *easy) {
  easy->library->curl_easy_setopt(easy->handle, OPT_HTTP_VERSION, (long)HTTP_VERSION_1_1);
}

void ccurl_easy_set_trust(ccurl_easy *easy, const char *file, const char *folder) {
  if (file) set_pointer(easy, OPT_CAINFO, file);
  // Errors are ignored: some TLS libraries lack the option, and the curl command ignores that too.
  if (folder) easy->library->curl_easy_setopt(easy->handle, OPT_CAPATH, folder);
  if (file) easy->library->curl_easy_setopt(easy->handle, OPT_PROXY_CAINFO, file);
  if (folder) easy->library->curl_easy_setopt(easy->handle, OPT_PROXY_CAPATH, folder);
}

void ccurl_easy_set_socket(ccurl_easy *easy, const char *path) {
  set_pointer(easy, OPT_UNIX_SOCKET_PATH, path);
  set_pointer(easy, OPT_NOPROXY, "*");
  easy->has_proxy = false;
}

void ccurl_easy_set_tls(ccurl_easy *easy, const char *certificate, const char *key, const char *authorities) {
  if (certificate) {
    set_pointer(easy, OPT_SSLCERT, certificate);
    if (key) set_pointer(easy, OPT_SSLKEY, key);
    // Without a passphrase OpenSSL would ask for one at the terminal.
    set_pointer(easy, OPT_KEYPASSWD, "");
  }
  if (!authorities) return;
  set_pointer(easy, OPT_CAINFO, authorities);
  // Errors are ignored: some TLS libraries have no folder of authorities.
  easy->library->curl_easy_setopt(easy->handle, OPT_CAPATH, NULL);
}

int ccurl_easy_resume(ccurl_easy *easy) {
  return easy->library->curl_easy_pause(easy->handle, PAUSE_CONT);
}

static long long_info(ccurl_easy *easy, int info) {
  long value = 0;
  easy->library->curl_easy_getinfo(easy->handle, info, &value);
  return value;
}

bool ccurl_easy_is_before_tunnel(ccurl_easy *easy, long port) {
  // Proxies seldom have the server's port; where one has, most TLS libraries say what they think of its certificate.
  return long_info(easy, INFO_HTTP_CONNECTCODE) == 0
      && (long_info(easy, INFO_PRIMARY_PORT) != port || long_info(easy, INFO_PROXY_SSL_VERIFYRESULT) != 0);
}

static uint64_t offset_info(ccurl_easy *easy, int info) {
  int64_t value = 0;
  easy->library->curl_easy_getinfo(easy->handle, info, &value);
  return value > 0 ? (uint64_t)value : 0;
}

uint64_t ccurl_easy_received(ccurl_easy *easy) { return offset_info(easy, INFO_SIZE_DOWNLOAD_T); }

uint64_t ccurl_easy_sent(ccurl_easy *easy) { return offset_info(easy, INFO_SIZE_UPLOAD_T); }

int ccurl_easy_errno(ccurl_easy *easy) { return (int)long_info(easy, INFO_OS_ERRNO); }

const char *ccurl_easy_problem(ccurl_easy *easy) { return easy->problem; }

// All transfers of one thread.

struct ccurl_multi {
  const ccurl_library *library;
  CURLM *handle;
  // The easies that were added, their number, and the largest number so far.
  ccurl_easy *easies;
  long count, most;
};

bool ccurl_shares_connections(const ccurl_library *library) { return library->tells_tls_options; }

ccurl_multi *ccurl_multi_new(const ccurl_library *library) {
  ccurl_multi *multi = ccurl_fails() ? NULL : calloc(1, sizeof *multi);
  if (!multi) return NULL;
  multi->library = library;
  multi->handle = library->curl_multi_init();
  if (!multi->handle) {
    free(multi);
    return NULL;
  }
  // CURLMOPT_PIPELINING (3) as CURLPIPE_MULTIPLEX (2) or CURLPIPE_NOTHING (0). In 7.88 a paused HTTP/2 stream blocks
  // the other streams of its connection: see Inflow.c.
  library->curl_multi_setopt(multi->handle, 3, ccurl_shares_connections(library) ? 2L : 0L);
  return multi;
}

void ccurl_multi_free(ccurl_multi *multi) {
  multi->library->curl_multi_cleanup(multi->handle);
  free(multi);
}

int ccurl_multi_add(ccurl_multi *multi, ccurl_easy *easy) {
  set_pointer(easy, OPT_HTTPHEADER, easy->fields);
  if (easy->refused != 0) return easy->refused;
  // CURLE_ABORTED_BY_CALLBACK, as where the library asks before it sends.
  if (!easy->library->announces_connections && !ccurl_inflow_may_send(easy->inflow)) return 42;
  // CURLE_FAILED_INIT for any reason why a multi refuses a handle.
  if (multi->library->curl_multi_add_handle(multi->handle, easy->handle) != 0) return 2;
  easy->next = multi->easies;
  multi->easies = easy;
  if (++multi->count > multi->most) {
    // CURLMOPT_MAXCONNECTS (6). libcurl keeps as many connections as four times the easies that it has at the moment: the
    // last of eight transfers to end would close those of the others.
    multi->most = multi->count;
    multi->library->curl_multi_setopt(multi->handle, 6, 4 * multi->most);
  }
  return 0;
}

bool ccurl_multi_remove(ccurl_multi *multi, ccurl_easy *easy) {
  for (ccurl_easy **place = &multi->easies; *place; place = &(*place)->next) {
    if (*place == easy) {
      *place = easy->next;
      multi->count--;
      break;
    }
  }
  return multi->library->curl_multi_remove_handle(multi->handle, easy->handle) == 0;
}

void ccurl_multi_perform(ccurl_multi *multi) {
  int running = 0;
  multi->library->curl_multi_perform(multi->handle, &running);
}

ccurl_easy *ccurl_multi_next_ended(ccurl_multi *multi, int *code) {
  int left = 0;
  const CURLMsg *message = NULL;
  do {
    message = multi->library->curl_multi_info_read(multi->handle, &left);
    if (!message) return NULL;
  } while (message->message != 1);  // CURLMSG_DONE, the only message there is
  *code = message->data.result;
  ccurl_easy *easy = multi->easies;
  while (easy && easy->handle != message->easy) easy = easy->next;
  if (easy && easy->problem[0] == 0 && *code != 0) {
    const char *words = multi->library->curl_easy_strerror(*code);
    for (size_t i = 0; i + 1 < sizeof easy->problem && words[i]; i++) {
      easy->problem[i] = words[i];
      easy->problem[i + 1] = 0;
    }
  }
  return easy;
}

void ccurl_multi_wait(ccurl_multi *multi, int milliseconds) {
  int code = multi->library->curl_multi_poll(multi->handle, NULL, 0, milliseconds, NULL);
  // A wait that always fails must not keep a processor busy.
  if (code != 0 && milliseconds > 0) usleep(10000);
}

void ccurl_multi_wake(ccurl_multi *multi) { multi->library->curl_multi_wakeup(multi->handle); }
