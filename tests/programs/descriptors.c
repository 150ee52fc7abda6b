// descriptors.c: reads, writes, closes and lists descriptors; status 0 on success.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Copies standard input to standard output.
static int echo(void) {
  char buffer[65536];
  ssize_t got;
  while ((got = read(0, buffer, sizeof buffer)) > 0) {
    for (ssize_t done = 0; done < got;) {
      const ssize_t written = write(1, buffer + done, (size_t)(got - done));
      if (written < 0) return 1;
      done += written;
    }
  }
  return got == 0 ? 0 : 2;
}

// Writes N bytes to standard output: the alphabet, repeated.
static int flood(long bytes) {
  char buffer[26 * 1024];
  for (size_t i = 0; i < sizeof buffer; ++i) buffer[i] = (char)('a' + i % 26);
  while (bytes > 0) {
    const size_t part = bytes < (long)sizeof buffer ? (size_t)bytes : sizeof buffer;
    // Writes whole buffers, so that the sequence of letters is not broken.
    for (size_t done = 0; done < part;) {
      const ssize_t written = write(1, buffer + done, part - done);
      if (written < 0) return 1;
      done += (size_t)written;
    }
    bytes -= (long)part;
  }
  return 0;
}

// Closes all descriptors, opens its own file, which becomes descriptor 0, and writes to it.
static int close_all(const char* file) {
  for (int number = 0; number < 65536; ++number) close(number);
  if (open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600) != 0) return 1;
  return write(0, "own file", 8) == 8 ? 0 : 2;
}

// Prints the numbers of all open descriptors, one per line.
static int list(void) {
  for (int number = 0; number < 65536; ++number) {
    if (fcntl(number, F_GETFD) >= 0) printf("%d\n", number);
  }
  return 0;
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "echo") == 0) return echo();
  if (strcmp(what, "flood") == 0 && argc > 2) return flood(atol(argv[2]));
  if (strcmp(what, "close-all") == 0 && argc > 2) return close_all(argv[2]);
  if (strcmp(what, "list") == 0) return list();
  if (strcmp(what, "both") == 0) {  // a line on each
    return write(1, "out\n", 4) == 4 && write(2, "err\n", 4) == 4 ? 0 : 1;
  }
  fprintf(stderr, "descriptors: unknown: %s\n", what);
  return 100;
}
