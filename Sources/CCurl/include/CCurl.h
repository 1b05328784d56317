// libcurl, loaded at run time, behind an interface that is small enough to call from Swift.
//
// libcurl's ABI has been stable since 2006 (https://curl.se/libcurl/abi.html), so what is needed of it is declared by
// hand in Library.h and Easy.c: no development headers are needed to build.
//
// Threads: a multi and its easies belong to one thread, except `ccurl_multi_wake`. An inflow is written by that
// thread; its head may be read by one other when it is whole.
#ifndef PAGECAT_CCURL_H
#define PAGECAT_CCURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The library.

typedef struct ccurl_library ccurl_library;

typedef enum {
  ccurl_opened,
  // No such file, or one that is no libcurl.
  ccurl_missing,
  // A libcurl below the floor.
  ccurl_too_old,
  // It would not start: curl_global_init failed.
  ccurl_broken,
} ccurl_outcome;

// Loads a library by file name. `version` becomes its number as text where it has one. A library is never unloaded.
ccurl_outcome ccurl_open(const char *name, unsigned floor, const ccurl_library **library, char version[32]);

// What arrives: the head and the body of one response.

typedef struct ccurl_inflow ccurl_inflow;

// Takes bytes of a body on the thread of the multi; false when there is no room for them, which pauses the transfer.
typedef bool (*ccurl_receiver)(void *context, const uint8_t *bytes, size_t count);

// An empty one that takes a body of at most `limit` decoded bytes. NULL without memory.
ccurl_inflow *ccurl_inflow_new(uint64_t limit, ccurl_receiver receive, void *context);
void ccurl_inflow_free(ccurl_inflow *inflow);

// Gives up the request, on any thread. True when nothing of it has been sent, and nothing will be.
bool ccurl_inflow_give_up(ccurl_inflow *inflow);

// The lines of the final head as they came, once the head is whole; otherwise NULL. Never changes after that.
const char *ccurl_inflow_head(ccurl_inflow *inflow, size_t *count);

// The address of who sent it, as text, once the head is whole; empty when that may be a proxy.
const char *ccurl_inflow_peer(const ccurl_inflow *inflow);

// Only for the thread of the multi: whether anything arrived since this was asked last.
bool ccurl_inflow_changed(ccurl_inflow *inflow);
// Bytes of heads so far, interim and final.
uint64_t ccurl_inflow_head_bytes(const ccurl_inflow *inflow);
// Why the inflow ended the transfer, if it did.
bool ccurl_inflow_head_too_large(const ccurl_inflow *inflow);
bool ccurl_inflow_body_too_large(const ccurl_inflow *inflow);

// A compressed body, decoded.

typedef struct ccurl_inflate ccurl_inflate;

// Whether zlib is on this machine.
bool ccurl_can_inflate(void);
// For one body, in gzip or zlib form. NULL without zlib or memory.
ccurl_inflate *ccurl_inflate_new(void);
void ccurl_inflate_free(ccurl_inflate *inflate);

typedef enum {
  ccurl_inflated_some,
  // The bytes are not what they should be, or their checksum is not.
  ccurl_inflated_broken,
  ccurl_inflated_no_memory,
} ccurl_inflated;

// Takes some of the bytes and makes some of what they mean; at most 4 GB of either. What was not taken is to be given
// again; when nothing is left and the room is full, there may be more to make of nothing.
ccurl_inflated ccurl_inflate_run(
    ccurl_inflate *inflate, const uint8_t *bytes, size_t count, size_t *taken, uint8_t *room, size_t size,
    size_t *made);
// Whether the body may end here.
bool ccurl_inflate_is_whole(const ccurl_inflate *inflate);

// One transfer.

typedef struct ccurl_easy ccurl_easy;

ccurl_easy *ccurl_easy_new(const ccurl_library *library);
void ccurl_easy_free(ccurl_easy *easy);

// Makes a new or used handle ready for a GET whose response goes to `inflow`. What follows changes that. Everything
// given is copied.
void ccurl_easy_begin(ccurl_easy *easy, ccurl_inflow *inflow);
// Makes a handle that has been used ready for the same request once more. A URL may follow.
void ccurl_easy_begin_again(ccurl_easy *easy, ccurl_inflow *inflow);
void ccurl_easy_set_url(ccurl_easy *easy, const char *url);
void ccurl_easy_set_method(ccurl_easy *easy, const char *method);
// HEAD: a response without a body.
void ccurl_easy_set_head(ccurl_easy *easy);
// Sends a body, which may be empty, by POST or the method set after this.
void ccurl_easy_set_body(ccurl_easy *easy, const void *bytes, size_t count);
// A field as curl takes it: `Name: value`, `Name;` for an empty one, `Name:` to leave out one that curl would add.
void ccurl_easy_add_field(ccurl_easy *easy, const char *line);
void ccurl_easy_set_connect_limit(ccurl_easy *easy, long milliseconds);
// Takes no connection that has been used before, and may leave none behind for others.
void ccurl_easy_set_fresh(ccurl_easy *easy, bool is_closed_after);
// A file and a folder of trusted certificates; NULL for the library's own.
void ccurl_easy_set_trust(ccurl_easy *easy, const char *file, const char *folder);

// Refuses peers by their address, which may be that of a host's name: asked when there is a connection, before anything is
// sent. Not asked about proxies.
void ccurl_easy_set_guard(ccurl_easy *easy, bool (*refuses)(const char *address));
bool ccurl_easy_peer_refused(const ccurl_easy *easy);
// Whether the connection that it was sent on had been used before.
bool ccurl_easy_connection_used(ccurl_easy *easy);
// Whether libcurl was kept from sending it once more: after a connection that had been used before ended without an answer,
// or after HTTP/2 refused it twice on others.
bool ccurl_easy_repeat_refused(const ccurl_easy *easy);

// Goes on with a transfer that was paused because there was no room. Returns a CURLcode.
int ccurl_easy_resume(ccurl_easy *easy);

// What a transfer did so far: body bytes as they came over the wire, and bytes sent.
uint64_t ccurl_easy_received(ccurl_easy *easy);
uint64_t ccurl_easy_sent(ccurl_easy *easy);
// errno of the connection attempt that failed, or 0.
int ccurl_easy_errno(ccurl_easy *easy);
// curl's own words for what went wrong: "" if it has none.
const char *ccurl_easy_problem(ccurl_easy *easy);

// All transfers of one thread, and their connections.

typedef struct ccurl_multi ccurl_multi;

ccurl_multi *ccurl_multi_new(const ccurl_library *library);
// The easies must have been removed.
void ccurl_multi_free(ccurl_multi *multi);
// Returns a CURLcode: 0, or what was wrong with the request.
int ccurl_multi_add(ccurl_multi *multi, ccurl_easy *easy);
// Closes the connection of a transfer that has not ended. False when the handle is still tied to the multi: it may be freed,
// but not used again.
bool ccurl_multi_remove(ccurl_multi *multi, ccurl_easy *easy);
// Does what can be done without waiting.
void ccurl_multi_perform(ccurl_multi *multi);
// A transfer that has ended, with its CURLcode, or NULL. It still has to be removed.
ccurl_easy *ccurl_multi_next_ended(ccurl_multi *multi, int *code);
// Waits for something to do, at most so long.
void ccurl_multi_wait(ccurl_multi *multi, int milliseconds);
// Ends the current or the next wait. May be called from any thread.
void ccurl_multi_wake(ccurl_multi *multi);

// Starts a detached thread that gets no signals. Returns 0 or an errno.
int ccurl_start_thread(void (*run)(void *), void *context);

// The thread calls libcurl only between these two. A process that exits waits, not long, until no thread is
// between them, and keeps them out from then on: TLS libraries free their globals at exit, under the feet of whoever
// still uses them.
void ccurl_enter(void);
void ccurl_leave(void);

// The number of an option by its name, from libcurl's own table (7.73), or -1: to test the numbers in Easy.c.
int ccurl_option_number(const ccurl_library *library, const char *name);
// The numbers that are used here, in pairs with `ccurl_used_option_name`; -1 after the last.
int ccurl_used_option_number(size_t index);
const char *ccurl_used_option_name(size_t index);

// For tests alone: calls that fail (Faults.c).

// Of the calls in this room that can fail, the one with that number (from 1) fails, once. 0 for none.
void ccurl_faults_arm(long number);
// No call fails any more; whether one did.
bool ccurl_faults_disarm(void);
// The same library, with functions that fail when it is their turn. There is one at a time.
const ccurl_library *ccurl_faults_library(const ccurl_library *library);
// Handles of that library which have not been freed.
long ccurl_faults_live(void);

#endif
