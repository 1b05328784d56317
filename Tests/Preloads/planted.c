// Writes a file where the program was not told to write, as a mistake or an attacker would: $INSIDE and $OUTSIDE, in each
// thread that connects to a server.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static void plant(const char *path) {
  int file = path ? open(path, O_WRONLY | O_CREAT, 0600) : -1;
  if (file >= 0) close(file);
}

int connect(int socket, const struct sockaddr *address, socklen_t length) {
  plant(getenv("INSIDE"));
  plant(getenv("OUTSIDE"));
  int (*next)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "connect");
  return next(socket, address, length);
}
