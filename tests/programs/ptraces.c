// ptraces.c: traces its child, which stops; "session" puts the child into its own session. Status
// 0. Under an engine that has no ptrace, or traces the child itself, both wait forever.
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  const pid_t child = fork();
  if (child < 0) return 100;
  if (child == 0) {
    if (argc > 1 && strcmp(argv[1], "session") == 0) setsid();
    ptrace(PTRACE_TRACEME, 0, NULL, NULL);
    raise(SIGSTOP);
    _exit(0);
  }
  for (;;) {
    int status = 0;
    if (waitpid(child, &status, 0) < 0) return 101;
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    if (WIFSTOPPED(status)) ptrace(PTRACE_CONT, child, NULL, NULL);
  }
}
