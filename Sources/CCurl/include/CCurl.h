// libcurl, loaded at run time, with an interface that is small enough to call from Swift.
//
// libcurl's ABI has been stable since 2006 (https://curl.se/libcurl/abi.html). The few declarations that are needed are
// written by hand in Library.h and Options.h, so the build needs no development headers.
//
// Threads: a multi and its easies belong to one thread, except for `ccurl_multi_wake`. That thread writes an inflow.
// One other thread may read the head when it is whole.
#ifndef PAGECAT_CCURL_H
#define PAGECAT_CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The library.

typedef struct ccurl_library ccurl_library;

typedef enum {
  ccurl_opened,
  // No such file, or one that is not libcurl.
  ccurl_missing,
  // A libcurl that is older than the oldest supported version.
  ccurl_too_old,
  // It failed to start: curl_global_init returned an error.
  ccurl_broken,
} ccurl_outcome;

// Loads a library by file name. `version` receives its version as text, if it has one. A library is never unloaded.
ccurl_outcome ccurl_open(const char *name, unsigned floor, const ccurl_library **library, char version[32]);

// The incoming head and body of one response.

typedef struct ccurl_inflow ccurl_inflow;

// Takes bytes of a body on the thread of the multi. Returning false for lack of room pauses the transfer, and with it
// the other streams of a connection that `may_be_shared`.
typedef bool (*ccurl_receiver)(void *context, const uint8_t *bytes, size_t count, bool may_be_shared);

// Creates an inflow that accepts at most `limit` decoded bytes of body. NULL without memory.
ccurl_inflow *ccurl_inflow_new(uint64_t limit, ccurl_receiver receive, void *context);
void ccurl_inflow_free(ccurl_inflow *inflow);

// Cancels the request, on any thread. True if nothing of it was or will be sent.
bool ccurl_inflow_give_up(ccurl_inflow *inflow);

// The lines of the final head as the server sent them, once the head is whole; otherwise NULL. They never change
// afterwards.
const char *ccurl_inflow_head(ccurl_inflow *inflow, size_t *count);

// The lines of trailers, once the transfer has ended; NULL without any.
const char *ccurl_inflow_trailers(ccurl_inflow *inflow, size_t *count);

// The address of the sender as text, once the head is whole; empty if it may be a proxy.
const char *ccurl_inflow_peer(const ccurl_inflow *inflow);

// Microseconds until the connection was there, once the head is whole: 0 if it had been used before, -1 if libcurl does
// not announce connections (before 7.80).
int64_t ccurl_inflow_connect_time(const ccurl_inflow *inflow);

// True if anything arrived since the last call. Only for the thread of the multi.
bool ccurl_inflow_changed(ccurl_inflow *inflow);
// Whether the head is whole, and is one of HTTP/2.
bool ccurl_inflow_is_http2(const ccurl_inflow *inflow);
// Bytes of heads so far, interim and final.
uint64_t ccurl_inflow_head_bytes(const ccurl_inflow *inflow);
// The reason why the inflow ended the transfer, if it did.
bool ccurl_inflow_head_too_large(const ccurl_inflow *inflow);
bool ccurl_inflow_body_too_large(const ccurl_inflow *inflow);

// The decoder for a compressed body.

typedef struct ccurl_inflate ccurl_inflate;

typedef enum {
  // gzip or zlib, with several members if there are (RFC 1952, RFC 1950).
  ccurl_gzip,
  // The data of a file in a zip archive, which end by themselves (RFC 1951).
  ccurl_raw_deflate,
  ccurl_zstd,    // RFC 8878
  ccurl_brotli,  // RFC 7932
} ccurl_coding;

// True if zlib is on this machine.
bool ccurl_can_inflate(void);
// True if there is a decoder for this coding: that of zstd or brotli once a libcurl was opened that has it.
bool ccurl_can_decode(ccurl_coding coding);
// Creates a decoder for one body. NULL without the coding's library, or memory.
ccurl_inflate *ccurl_inflate_new(ccurl_coding coding);
// The CRC-32 of bytes after others, whose own is `before` (0 for none); at most 4 GB. 0 without zlib.
uint32_t ccurl_crc32(uint32_t before, const uint8_t *bytes, size_t count);
void ccurl_inflate_free(ccurl_inflate *inflate);

typedef enum {
  ccurl_inflated_some,
  // The bytes are invalid, or their checksum is wrong.
  ccurl_inflated_broken,
  // The bytes of zstd ask for a window of more than 8 MB.
  ccurl_inflated_too_wide,
  ccurl_inflated_no_memory,
} ccurl_inflated;

// Takes some of the bytes and decodes some of them; at most 4 GB of either. The caller passes the bytes that were not
// taken again. If none are left and the room is full, a call without bytes may decode more.
ccurl_inflated ccurl_inflate_run(
    ccurl_inflate *inflate, const uint8_t *bytes, size_t count, size_t *taken, uint8_t *room, size_t size,
    size_t *made);
// True if the body may end here.
bool ccurl_inflate_is_whole(const ccurl_inflate *inflate);

// The encoder of a gzip file (RFC 1952), member by member.

typedef struct ccurl_deflate ccurl_deflate;

// Creates an encoder. NULL without zlib or memory.
ccurl_deflate *ccurl_deflate_new(void);
void ccurl_deflate_free(ccurl_deflate *deflate);
// Takes some of the bytes and encodes some of them; at most 4 GB of either. Returns true when all bytes are taken, and
// the member is whole if it `ends`; else it is called again with the bytes that were not taken. The next call after the
// end of a member begins another one.
bool ccurl_deflate_run(
    ccurl_deflate *deflate, const uint8_t *bytes, size_t count, bool ends, size_t *taken, uint8_t *room, size_t size,
    size_t *made);

// Signatures.

typedef enum {
  ccurl_signing_done,
  // libcurl has loaded no libcrypto: it has another TLS library, such as GnuTLS.
  ccurl_signing_no_library,
  // The text has no private key in PEM, or an encrypted one.
  ccurl_signing_no_key,
  ccurl_signing_not_rsa,
  ccurl_signing_failed,
} ccurl_signing;

// Signs a message by RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 section 8.2). `size` is the room for the signature, and
// receives its size. Any thread may call it.
ccurl_signing ccurl_sign(
    const ccurl_library *library, const char *pem, size_t pem_count, const uint8_t *message, size_t count,
    uint8_t *signature, size_t *size);

// One transfer.

typedef struct ccurl_easy ccurl_easy;

ccurl_easy *ccurl_easy_new(const ccurl_library *library);
void ccurl_easy_free(ccurl_easy *easy);

// Prepares a new or used handle for a GET whose response goes to `inflow`. The functions below change that. All
// arguments are copied.
void ccurl_easy_begin(ccurl_easy *easy, ccurl_inflow *inflow);
// Prepares a used handle for the same request once more. A new URL may be set afterwards.
void ccurl_easy_begin_again(ccurl_easy *easy, ccurl_inflow *inflow);
void ccurl_easy_set_url(ccurl_easy *easy, const char *url);
void ccurl_easy_set_method(ccurl_easy *easy, const char *method);
// HEAD: a response without a body.
void ccurl_easy_set_head(ccurl_easy *easy);
// Sends a body, which may be empty, by POST or the method set after this.
void ccurl_easy_set_body(ccurl_easy *easy, const void *bytes, size_t count);
// Adds a field in curl's form: `Name: value`, `Name;` for an empty one, `Name:` to suppress a field of curl's own.
void ccurl_easy_add_field(ccurl_easy *easy, const char *line);
void ccurl_easy_set_connect_limit(ccurl_easy *easy, long milliseconds);
// Uses a new connection only. If `is_closed_after`, no other request uses that connection.
void ccurl_easy_set_fresh(ccurl_easy *easy, bool is_closed_after);
// A file and a folder of trusted certificates, for servers and for proxies; NULL for the library's own.
void ccurl_easy_set_trust(ccurl_easy *easy, const char *file, const char *folder);
// Files for TLS with the server, each of which may be NULL: the client's certificate, its key, and the authorities that
// are trusted in place of all others; Apple's libcurl also accepts what the system trusts (curl issue 12604). An encrypted
// key is an error; nobody is asked for a passphrase.
void ccurl_easy_set_tls(ccurl_easy *easy, const char *certificate, const char *key, const char *authorities);

// Connects to a socket of this machine, and to no proxy, whatever the URL's host is.
void ccurl_easy_set_socket(ccurl_easy *easy, const char *path);

// Speaks HTTP/1.1 only.
void ccurl_easy_refuse_http2(ccurl_easy *easy);

// Watches for TLS's close_notify, by which a server says that it ends the connection on purpose. OpenSSL 3.0 with libcurl
// 7.88 takes any end of the connection for the end of a body without a length, so that an attacker could cut the body.
void ccurl_easy_watch_end(ccurl_easy *easy);
// True if such a transfer has ended without a close_notify, and libcurl reports these.
bool ccurl_easy_end_is_unproven(const ccurl_easy *easy);

// Sets a guard that refuses peers by their address. It is called when there is a connection, before anything is sent,
// but not for proxies.
void ccurl_easy_set_guard(ccurl_easy *easy, bool (*refuses)(const char *address));
bool ccurl_easy_peer_refused(const ccurl_easy *easy);
// True if the request was sent on a connection that had been used before, or that others shared.
bool ccurl_easy_connection_used(ccurl_easy *easy);
// The connection that was announced for the request, as a number that no other open connection to the server has; 0
// for none, or if libcurl does not announce connections.
uint32_t ccurl_easy_connection(const ccurl_easy *easy);
// Shuts the connection down, so that libcurl finds it closed for all requests that share it.
void ccurl_easy_hang_up(const ccurl_easy *easy);
// True if libcurl was kept from sending the request again. That happens after a reused or shared connection ended
// without an answer, or after HTTP/2 refused the request twice on others.
bool ccurl_easy_repeat_refused(const ccurl_easy *easy);

// Resumes a transfer that was paused for lack of room. Returns a CURLcode.
int ccurl_easy_resume(ccurl_easy *easy);

// Body bytes received over the wire so far, and bytes sent.
uint64_t ccurl_easy_received(ccurl_easy *easy);
uint64_t ccurl_easy_sent(ccurl_easy *easy);
// errno of the connection attempt that failed, or 0.
int ccurl_easy_errno(ccurl_easy *easy);

// Whether a failure of TLS is one of a proxy: there is no tunnel to that port yet.
bool ccurl_easy_is_before_tunnel(ccurl_easy *easy, long port);
// curl's own words for what went wrong: "" if it has none.
const char *ccurl_easy_problem(ccurl_easy *easy);

// All transfers of one thread, and their connections.

typedef struct ccurl_multi ccurl_multi;

// Whether requests to one origin share a connection at the same time, where the server speaks HTTP/2: from 7.83.1 on.
bool ccurl_shares_connections(const ccurl_library *library);

ccurl_multi *ccurl_multi_new(const ccurl_library *library);
// Frees a multi; its easies must have been removed.
void ccurl_multi_free(ccurl_multi *multi);
// Adds a transfer. Returns a CURLcode: 0, or the error of the request.
int ccurl_multi_add(ccurl_multi *multi, ccurl_easy *easy);
// Removes a transfer. If it has not ended, this closes its connection, or its stream of HTTP/2. False if the handle is
// still tied to the multi: the handle may be freed then, but not reused.
bool ccurl_multi_remove(ccurl_multi *multi, ccurl_easy *easy);
// Does all work that needs no waiting.
void ccurl_multi_perform(ccurl_multi *multi);
// Returns a transfer that has ended, with its CURLcode, or NULL. The caller must remove it.
ccurl_easy *ccurl_multi_next_ended(ccurl_multi *multi, int *code);
// Waits for work, at most for this time.
void ccurl_multi_wait(ccurl_multi *multi, int milliseconds);
// Ends the current or the next wait. Any thread may call it.
void ccurl_multi_wake(ccurl_multi *multi);

// Starts a detached thread that gets no signals. Returns 0 or an errno.
int ccurl_start_thread(void (*run)(void *), void *context);

// A thread calls libcurl only between these two. When the process exits, it waits briefly until no thread is between
// them, and keeps threads out from then on. TLS libraries free their globals at exit, though other threads may still
// use them.
void ccurl_enter(void);
void ccurl_leave(void);

// The number of an option by its name, from libcurl's own table (7.73), or -1: to test the numbers in Options.h.
int ccurl_option_number(const ccurl_library *library, const char *name);
// The numbers that are used here, in pairs with `ccurl_used_option_name`; -1 after the last.
int ccurl_used_option_number(size_t index);
const char *ccurl_used_option_name(size_t index);

// Returns a copy of the library that is used as one before 7.80, for tests.
const ccurl_library *ccurl_library_as_before_7_80(const ccurl_library *library);

// Fault injection, for tests only (Faults.c).

// Makes the call with this number (from 1), among those in this room that can fail, fail once. 0 for none.
void ccurl_faults_arm(long number);
// Ends the fault injection; returns true if a call has failed.
bool ccurl_faults_disarm(void);
// Returns a copy of the library whose functions fail on demand. There is one at a time.
const ccurl_library *ccurl_faults_library(const ccurl_library *library);
// Number of handles of that library which have not been freed.
long ccurl_faults_live(void);

#endif
