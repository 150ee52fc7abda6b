/* read_inputs.c: prints the date and random numbers, as libc gives them. "none" reads neither. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void Dates(void) {
  struct timeval day = {0, 0};
  struct timespec precise = {0, 0};
  gettimeofday(&day, NULL);
  clock_gettime(CLOCK_REALTIME, &precise);
  printf("%lld %lld %lld\n", (long long)time(NULL), (long long)day.tv_sec,
         (long long)precise.tv_sec);
}

static int Numbers(void) {
  uint64_t numbers[3] = {0, 0, 0};
  if (getrandom(&numbers[0], sizeof numbers[0], 0) != (ssize_t)sizeof numbers[0]) return 1;
  const int file = open("/dev/urandom", O_RDONLY);
  if (file < 0 || read(file, &numbers[1], sizeof numbers[1]) != (ssize_t)sizeof numbers[1])
    return 1;
  close(file);
  FILE *stream = fopen("/dev/random", "rb");
  if (stream == NULL || fread(&numbers[2], sizeof numbers[2], 1, stream) != 1) return 1;
  fclose(stream);
  printf("%llx %llx %llx\n", (unsigned long long)numbers[0], (unsigned long long)numbers[1],
         (unsigned long long)numbers[2]);
  return 0;
}

int main(int count, char **words) {
  const char *what = count > 1 ? words[1] : "both";
  if (strcmp(what, "none") == 0) return 0;
  if (strcmp(what, "random") != 0) Dates();
  return strcmp(what, "date") == 0 ? 0 : Numbers();
}
