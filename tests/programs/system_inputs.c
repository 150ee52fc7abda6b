/* system_inputs.c: a program whose work depends on its system inputs: system_inputs MODE [NUMBER].
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;

/* Instruction count and output depend on the value. */
static void work(const char* what, uint64_t value) {
  for (uint64_t i = 0; i < value % 100003; ++i) sink += i;
  printf("%s: %llu\n", what, (unsigned long long)value);
}

static void work_bytes(const char* what, const unsigned char* bytes, long count) {
  uint64_t sum = (uint64_t)count;
  for (long i = 0; i < count; ++i) sum = sum * 31 + bytes[i];
  work(what, sum);
}

static uint64_t clock_now(clockid_t clock) {
  struct timespec now;
  if (clock_gettime(clock, &now) != 0) return 0;
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void read_clocks(int count) {
  for (int i = 0; i < count; ++i) {
    work("monotonic", clock_now(CLOCK_MONOTONIC));
    work("realtime", clock_now(CLOCK_REALTIME));
    work("processor", clock_now(CLOCK_PROCESS_CPUTIME_ID));
  }
  struct timeval day;
  gettimeofday(&day, NULL);
  work("timeofday", (uint64_t)day.tv_sec * 1000000u + (uint64_t)day.tv_usec);
  struct tms used;
  work("times", (uint64_t)times(&used));
  work("time", (uint64_t)time(NULL));
}

/* Reads monotonic time only; prints how often it was less than before. */
static void read_onwards(int count) {
  uint64_t before = 0;
  int backwards = 0;
  for (int i = 0; i < count; ++i) {
    const uint64_t now = clock_now(CLOCK_MONOTONIC);
    if (now < before) ++backwards;
    before = now;
  }
  printf("backwards: %d\n", backwards);
  work("last", before);
}

static uint64_t counter(void) {
#if defined(__aarch64__)
  uint64_t value;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  uint32_t low;
  uint32_t high;
  __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
  return (uint64_t)high << 32 | low;
#endif
}

static void read_counter(int count) {
  for (int i = 0; i < count; ++i) work("counter", counter());
}

static void read_random(int count) {
  unsigned char bytes[64];
  for (int i = 0; i < count; ++i) {
    work_bytes("getrandom", bytes, getrandom(bytes, 24, 0));
    const int device = open("/dev/urandom", O_RDONLY);
    work_bytes("urandom", bytes, read(device, bytes, sizeof bytes));
    struct iovec parts[2] = {{bytes, 7}, {bytes + 9, 20}};
    work_bytes("parts", bytes, readv(device, parts, 2));
    close(device);
  }
}

static void read_file(const char* path) {
  unsigned char bytes[4096];
  const int file = open(path, O_RDONLY);
  if (file < 0) {
    printf("%s: none\n", path);
    return;
  }
  long got;
  while ((got = read(file, bytes, 100)) > 0) work_bytes(path, bytes, got);
  work_bytes("whole", bytes, pread(file, bytes, sizeof bytes, 0));
  close(file);
}

static void read_system(void) {
  read_file("/proc/uptime");
  read_file("/proc/self/stat");
  read_file("/proc/self/status");
  struct sysinfo info;
  sysinfo(&info);
  work("freeram", info.freeram);
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  work("usage", (uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec);
  work("cpu", (uint64_t)sched_getcpu());
  struct statfs files;
  statfs("/", &files);
  work("files", files.f_bfree);
}

static void read_ids(void) {
  work("pid", (uint64_t)getpid());
  work("parent", (uint64_t)getppid());
}

/* A read of a pipe that a signal interrupts, then a timer. */
static void on_alarm(int signal) { (void)signal; }
static void read_interrupted(void) {
  struct sigaction action = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &action, NULL);
  int ends[2];
  if (pipe(ends) != 0) exit(1);
  // Again and again: the first one may come before the read.
  const struct itimerval often = {{0, 20000}, {0, 20000}};
  const struct itimerval never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &often, NULL);
  char byte;
  const ssize_t got = read(ends[0], &byte, 1);
  setitimer(ITIMER_REAL, &never, NULL);
  printf("interrupted: %zd\n", got);
  const int timer = timerfd_create(CLOCK_MONOTONIC, 0);
  const struct itimerspec every = {{0, 1000000}, {0, 1000000}};
  timerfd_settime(timer, 0, &every, NULL);
  uint64_t ticks = 0;
  usleep(30000);
  if (read(timer, &ticks, sizeof ticks) != sizeof ticks) exit(1);
  work("ticks", ticks);
}

static void read_forked(void) {
  work("before", clock_now(CLOCK_MONOTONIC));
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    /* Enough requests to use up what a parent would still need. */
    for (int i = 0; i < 10; ++i) clock_now(CLOCK_MONOTONIC);
    _exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  work("after", clock_now(CLOCK_MONOTONIC));
  printf("child: %d\n", status);
}

static void* read_in_thread(void* count) {
  for (int i = 0; i < *(int*)count; ++i) sink += clock_now(CLOCK_MONOTONIC);
  return NULL;
}

static void read_in_threads(int count) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, read_in_thread, &count);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  puts("done");
}

/* Prints the addresses of stack, heap, mappings and code. */
static void show_places(void) {
  int local;
  void* const first_break = sbrk(0);
  printf("local: %zu\n", (size_t)&local);
  printf("break: %zu\n", (size_t)first_break);
  printf("small: %zu\n", (size_t)malloc(10));
  printf("large: %zu\n", (size_t)malloc(1 << 20));
  printf("library: %zu\n", (size_t)&qsort);
  printf("main: %zu\n", (size_t)&show_places);
  /* The heap can still grow. */
  char* more = sbrk(1 << 20);
  if (more == (void*)-1) exit(1);
  memset(more, 1, 1 << 20);
}

int main(int count, char** arguments) {
  const char* mode = count > 1 ? arguments[1] : "";
  const int number = count > 2 ? atoi(arguments[2]) : 5;
  if (strcmp(mode, "clocks") == 0) read_clocks(number);
  if (strcmp(mode, "onwards") == 0) read_onwards(number);
  if (strcmp(mode, "counter") == 0) read_counter(number);
  if (strcmp(mode, "random") == 0) read_random(number);
  if (strcmp(mode, "system") == 0) read_system();
  if (strcmp(mode, "ids") == 0) read_ids();
  if (strcmp(mode, "interrupted") == 0) read_interrupted();
  if (strcmp(mode, "forked") == 0) read_forked();
  if (strcmp(mode, "threads") == 0) read_in_threads(number);
  if (strcmp(mode, "places") == 0) show_places();
  if (strcmp(mode, "exec") == 0) {
    clock_now(CLOCK_MONOTONIC);
    execl("/bin/true", "true", (char*)NULL);
  }
  fflush(stdout);
  return 7;
}
