// Writes whole lines to a file descriptor, and notices every failure.
