// The options of libcurl that are used. Their numbers are part of its ABI: a kind plus a serial number that is never
// reused (https://curl.se/libcurl/c/curl_easy_setopt.html, include/curl/curl.h). The kinds are 0 for a long, 10,000 for
// a pointer, 20,000 for a function and 30,000 for a curl_off_t. A test compares the numbers with the table of the
// loaded library.
#ifndef PAGECAT_CCURL_OPTIONS_H
#define PAGECAT_CCURL_OPTIONS_H

#define CCURL_LONG 0
#define CCURL_POINTER 10000
#define CCURL_FUNCTION 20000
#define CCURL_OFFSET 30000

#define CCURL_OPTIONS(OPTION)                      \
  OPTION(WRITEDATA, CCURL_POINTER + 1)             \
  OPTION(URL, CCURL_POINTER + 2)                   \
  OPTION(PROXY, CCURL_POINTER + 4)                 \
  OPTION(ERRORBUFFER, CCURL_POINTER + 10)          \
  OPTION(WRITEFUNCTION, CCURL_FUNCTION + 11)       \
  OPTION(HTTPHEADER, CCURL_POINTER + 23)           \
  OPTION(SSLCERT, CCURL_POINTER + 25)              \
  OPTION(KEYPASSWD, CCURL_POINTER + 26)            \
  OPTION(HEADERDATA, CCURL_POINTER + 29)           \
  OPTION(CUSTOMREQUEST, CCURL_POINTER + 36)        \
  OPTION(VERBOSE, CCURL_LONG + 41)                 \
  OPTION(NOBODY, CCURL_LONG + 44)                  \
  OPTION(POST, CCURL_LONG + 47)                    \
  OPTION(CAINFO, CCURL_POINTER + 65)               \
  OPTION(FRESH_CONNECT, CCURL_LONG + 74)           \
  OPTION(FORBID_REUSE, CCURL_LONG + 75)            \
  OPTION(HEADERFUNCTION, CCURL_FUNCTION + 79)      \
  OPTION(HTTP_VERSION, CCURL_LONG + 84)            \
  OPTION(SSLKEY, CCURL_POINTER + 87)               \
  OPTION(DEBUGFUNCTION, CCURL_FUNCTION + 94)       \
  OPTION(DEBUGDATA, CCURL_POINTER + 95)            \
  OPTION(CAPATH, CCURL_POINTER + 97)               \
  OPTION(BUFFERSIZE, CCURL_LONG + 98)              \
  OPTION(NOSIGNAL, CCURL_LONG + 99)                \
  OPTION(POSTFIELDSIZE_LARGE, CCURL_OFFSET + 120)  \
  OPTION(CONNECTTIMEOUT_MS, CCURL_LONG + 156)      \
  OPTION(OPENSOCKETFUNCTION, CCURL_FUNCTION + 163) \
  OPTION(OPENSOCKETDATA, CCURL_POINTER + 164)      \
  OPTION(COPYPOSTFIELDS, CCURL_POINTER + 165)      \
  OPTION(NOPROXY, CCURL_POINTER + 177)             \
  OPTION(PROTOCOLS, CCURL_LONG + 181)              \
  OPTION(SSL_OPTIONS, CCURL_LONG + 216)            \
  OPTION(UNIX_SOCKET_PATH, CCURL_POINTER + 231)    \
  OPTION(PATH_AS_IS, CCURL_LONG + 234)             \
  OPTION(PROXY_CAINFO, CCURL_POINTER + 246)        \
  OPTION(PROXY_CAPATH, CCURL_POINTER + 247)        \
  OPTION(SUPPRESS_CONNECT_HEADERS, CCURL_LONG + 265) \
  OPTION(HTTP09_ALLOWED, CCURL_LONG + 285)         \
  OPTION(PREREQFUNCTION, CCURL_FUNCTION + 312)     \
  OPTION(PREREQDATA, CCURL_POINTER + 313)          \
  OPTION(PROTOCOLS_STR, CCURL_POINTER + 318)

#define CCURL_CONSTANT(name, number) OPT_##name = (number),
enum { CCURL_OPTIONS(CCURL_CONSTANT) };
#undef CCURL_CONSTANT

#endif
