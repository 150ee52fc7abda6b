// endings.c: ends in the way that its first argument names; each case states the expected status.
// Leaves no core file.
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int number(int argc, char** argv) { return argc > 2 ? atoi(argv[2]) : 0; }

// Stopping or killing a parent takes a moment, during which the program must not exit.
static void a_moment(void) { usleep(50000); }

// No processor and no decoder knows this instruction.
void illegal(void);
#ifdef __x86_64__
__asm__(".text\nillegal: .byte 0x06\n ret\n");
#else
__asm__(".text\nillegal: .inst 0\n ret\n");
#endif

int main(int argc, char** argv) {
  const char* const how = argc > 1 ? argv[1] : "";
  const struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (strcmp(how, "exit") == 0) {  // exit N: status N
    return number(argc, argv);
  }
  if (strcmp(how, "signal") == 0) {  // signal N: dies by signal N
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    signal(number(argc, argv), SIG_DFL);
    raise(number(argc, argv));
    return 99;
  }
  if (strcmp(how, "abort") == 0) {  // dies by SIGABRT
    abort();
  }
  if (strcmp(how, "null") == 0) {  // dies by SIGSEGV at a real access
    *(volatile int*)(size_t)number(argc, argv) = 1;
  }
  if (strcmp(how, "illegal") == 0) {  // dies by SIGILL at an instruction that begins a block
    void (*volatile call)(void) = illegal;
    call();
  }
  if (strcmp(how, "kill-group") == 0) {  // dies by SIGKILL
    kill(0, SIGKILL);
  }
  if (strcmp(how, "kill-parents-group") == 0) {  // kill-parents-group N: status N
    kill(-getpgid(getppid()), SIGKILL);
    a_moment();
    return number(argc, argv);
  }
  if (strcmp(how, "stop-parents-group") == 0) {  // stop-parents-group N: status N
    kill(-getpgid(getppid()), SIGSTOP);
    a_moment();
    return number(argc, argv);
  }
  if (strcmp(how, "hang") == 0) {  // forever; SIGTERM ends it
    puts("hanging");
    fflush(stdout);
    for (;;) pause();
  }
  if (strcmp(how, "hang-stubbornly") == 0) {  // forever; only SIGKILL ends it
    signal(SIGTERM, SIG_IGN);
    signal(SIGINT, SIG_IGN);
    for (;;) pause();
  }
  if (strcmp(how, "hang-in-own-session") == 0) {  // forever, in another process group
    if (fork() != 0) _exit(0);
    setsid();
    for (;;) pause();
  }
  if (strcmp(how, "unlink-self") == 0) {  // removes its own file; status 0
    return argc > 2 && unlink(argv[2]) == 0 ? 0 : 1;
  }
  fprintf(stderr, "endings: unknown: %s\n", how);
  return 100;
}
