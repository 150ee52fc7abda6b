// signals.c: many signals to its own handlers on an alternate stack; status 0 after N.
// storm N: SIGALRM each millisecond; profile N: SIGPROF while it works; ignore: SIGINT and SIGTERM
// have no effect; job-control: SIGTTOU and the like stop a child, unless it handles or ignores
// them.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t seen = 0;
static volatile sig_atomic_t elsewhere = 0;
static char stack[65536];

static void on_signal(int number) {
  char here = (char)number;
  if (&here < stack || &here >= stack + sizeof stack) elsewhere = 1;
  ++seen;
}

static void count_signal(int number) {
  (void)number;
  ++seen;
}

static int storm(int timer, int number, int wanted) {
  const stack_t own = {.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof stack};
  if (sigaltstack(&own, NULL) != 0) return 1;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  if (sigaction(number, &action, NULL) != 0) return 2;
  const struct itimerval each = {{0, 1000}, {0, 1000}};
  if (setitimer((__itimer_which_t)timer, &each, NULL) != 0) return 3;
  while (seen < wanted) {
  }
  return elsewhere ? 4 : 0;
}

// In a child: handled, ignored, and back to the default. 0, or which of them failed.
static int meet(int number) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = count_signal;
  seen = 0;
  if (sigaction(number, &action, NULL) != 0 || raise(number) != 0 || seen != 1) return 1;
  action.sa_handler = SIG_IGN;
  if (sigaction(number, &action, NULL) != 0 || raise(number) != 0 || seen != 1) return 2;
  action.sa_handler = count_signal;
  if (sigaction(number, &action, NULL) != 0 || raise(number) != 0 || seen != 2) return 3;
  action.sa_handler = SIG_DFL;
  if (sigaction(number, &action, NULL) != 0 || raise(number) != 0 || seen != 2) return 4;
  return 0;
}

// Whether the child stops once, and continues on SIGCONT.
static int stops_once(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, WUNTRACED) != child || !WIFSTOPPED(status)) return 10;
  kill(child, SIGCONT);
  if (waitpid(child, &status, WUNTRACED) != child || !WIFEXITED(status)) return 11;
  return WEXITSTATUS(status);
}

static int job_control(void) {
  const int numbers[] = {SIGTSTP, SIGTTIN, SIGTTOU};
  for (int i = 0; i < 3; ++i) {
    // The default action from the start, and again after a handler.
    pid_t child = fork();
    if (child == 0) _exit(raise(numbers[i]));
    int wrong = stops_once(child);
    if (wrong != 0) return 20 + wrong;
    child = fork();
    if (child == 0) _exit(meet(numbers[i]));
    wrong = stops_once(child);
    if (wrong != 0) return 40 + wrong;
  }
  return 0;
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  const int wanted = argc > 2 ? atoi(argv[2]) : 20;
  if (strcmp(what, "storm") == 0) return storm(ITIMER_REAL, SIGALRM, wanted);
  if (strcmp(what, "profile") == 0) return storm(ITIMER_PROF, SIGPROF, wanted);
  if (strcmp(what, "job-control") == 0) return job_control();
  if (strcmp(what, "ignore") == 0) {
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    return raise(SIGINT) + raise(SIGTERM);
  }
  fprintf(stderr, "signals: unknown: %s\n", what);
  return 100;
}
