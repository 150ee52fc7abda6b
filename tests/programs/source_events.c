// source_events.c: events, spans and values of tare/events.h, of which tests know how many there
// are.
//
//   source_events N            mean and variance of N numbers: a span, N events and N values
//   source_events threads T N  T threads with N events each
//   source_events alarms N     N threads, one after the other, with an event each, while SIGALRM
//   interrupts them every 200 us
//   source_events forks N      a child with N events, then an execve, and N events after it
//   source_events spans N US   N spans of random lengths around US microseconds, which it times
//   itself source_events nested N     N spans inside a span source_events steady DIR   an event
//   every 20 us until DIR/go exists; counts them in DIR/count
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <tare/events.h>
#include <time.h>
#include <unistd.h>

static uint64_t state = 1;

static uint64_t random_bits(void) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 33;
}

static uint64_t now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t wait_until(uint64_t end_ns) {
  uint64_t now = now_ns();
  while (now < end_ns) now = now_ns();
  return now;
}

static void statistics(long n) {
  double sum = 0;
  double squares = 0;
  TARE_SPAN("statistics");
  for (long i = 0; i < n; ++i) {
    const long x = i % 10;
    sum += (double)x;
    squares += (double)(x * x);
    TARE_EVENT("add");
    TARE_VALUE("x", x - 5);
  }
  TARE_TIMED_EVENT("summed");
  const double mean = sum / (double)n;
  printf("%.3f %.3f\n", mean, squares / (double)n - mean * mean);
}

static void* make_events(void* number) {
  const long n = *(const long*)number;
  for (long i = 0; i < n; ++i) TARE_EVENT("in a thread");
  return NULL;
}

static int run_threads(long threads, long n) {
  pthread_t ids[64];
  if (threads > 64) return 2;
  for (long i = 0; i < threads; ++i)
    if (pthread_create(&ids[i], NULL, make_events, &n) != 0) return 1;
  for (long i = 0; i < threads; ++i) pthread_join(ids[i], NULL);
  return 0;
}

static void on_alarm(int number) { (void)number; }

static void* make_event_with_alarms(void* alarms) {
  pthread_sigmask(SIG_UNBLOCK, alarms, NULL);
  TARE_EVENT("in a thread with alarms");
  return NULL;
}

static int run_alarms(long threads) {
  sigset_t alarms;
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarms, NULL);
  signal(SIGALRM, on_alarm);
  const struct itimerval each = {{0, 200}, {0, 200}};
  setitimer(ITIMER_REAL, &each, NULL);
  for (long i = 0; i < threads; ++i) {
    pthread_t id;
    if (pthread_create(&id, NULL, make_event_with_alarms, &alarms) != 0) return 1;
    pthread_join(id, NULL);
  }
  return 0;
}

static int run_forks(char** arguments, long n) {
  TARE_EVENT("before the fork");
  const pid_t child = fork();
  if (child == 0) {
    for (long i = 0; i < n; ++i) TARE_EVENT("in the child");
    // A site that the parent knows, too.
    TARE_EVENT("before the fork");
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
  TARE_EVENT("before the execve");
  execl("/proc/self/exe", arguments[0], "after", arguments[2], (char*)NULL);
  return 1;
}

static void run_spans(long n, uint64_t microseconds) {
  for (long i = 0; i < n; ++i) {
    // Spans begin at random moments of a tick. After another program had the processor, a moment
    // is that of a tick.
    uint64_t end = 0;
    do {
      end = now_ns() + random_bits() % 3000000;
    } while (wait_until(end) > end + 50000);
    const uint64_t length = microseconds * (500 + random_bits() % 1000);
    uint64_t spent = 0;
    {
      TARE_SPAN("short");
      const uint64_t begin = now_ns();
      spent = wait_until(begin + length) - begin;
    }
    TARE_VALUE("ns", spent);
  }
}

static void run_nested(long n) {
  TARE_SPAN("outer");
  for (long i = 0; i < n; ++i) {
    TARE_SPAN("inner");
  }
}

static int run_steady(const char* directory) {
  char path[4096];
  snprintf(path, sizeof path, "%s/count", directory);
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0 || ftruncate(file, 16) != 0) return 1;
  volatile uint64_t* const count = mmap(NULL, 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (count == MAP_FAILED) return 1;
  snprintf(path, sizeof path, "%s/go", directory);
  const uint64_t last = now_ns() + 300000000000u;
  for (uint64_t i = 1; now_ns() < last; ++i) {
    TARE_VALUE("number", i);
    count[0] = i;
    if (i % 256 == 0 && access(path, F_OK) == 0) break;
    wait_until(now_ns() + 20000);
  }
  count[1] = 1; /* ended by itself */
  return 0;
}

int main(int count, char** arguments) {
  const char* const what = count > 1 ? arguments[1] : "100";
  const long n = count > 2 ? atol(arguments[2]) : 0;
  if (strcmp(what, "threads") == 0) return run_threads(n, count > 3 ? atol(arguments[3]) : 1);
  if (strcmp(what, "alarms") == 0) return run_alarms(n);
  if (strcmp(what, "forks") == 0) return run_forks(arguments, n);
  if (strcmp(what, "steady") == 0) return count > 2 ? run_steady(arguments[2]) : 2;
  if (strcmp(what, "nested") == 0) {
    run_nested(n);
  } else if (strcmp(what, "spans") == 0) {
    run_spans(n, count > 3 ? (uint64_t)atol(arguments[3]) : 1);
  } else if (strcmp(what, "after") == 0) {
    for (long i = 0; i < n; ++i) TARE_EVENT("after the execve");
  } else {
    statistics(atol(what));
  }
  return 0;
}
