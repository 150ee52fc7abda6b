// limits.c: drops its own resources and privileges and continues; status 0 on success.
// chroot and setuid need root; without it they do nothing, with status 0.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static int limit(int resource, rlim_t most) {
  const struct rlimit wanted = {most, most};
  return setrlimit(resource, &wanted);
}

// No descriptors except the standard three.
static int no_files(void) {
  if (limit(RLIMIT_NOFILE, 3) != 0) return 1;
  return open("/dev/null", O_RDONLY) < 0 && errno == EMFILE ? 0 : 2;
}

// Can write no byte to any file. Standard output may be a file, so nothing is printed.
static int no_bytes(void) {
  const int file = memfd_create("own", 0);
  signal(SIGXFSZ, SIG_IGN);
  if (file < 0 || limit(RLIMIT_FSIZE, 0) != 0) return 1;
  return write(file, "x", 1) < 0 && errno == EFBIG ? 0 : 2;
}

// An address space of 1 GiB: allocating 2 GiB must fail.
static int little_space(void) {
  if (limit(RLIMIT_AS, (rlim_t)1 << 30) != 0) return 1;
  return mmap(NULL, (size_t)2 << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED
             ? 0
             : 2;
}

static int other_root(void) {
  if (geteuid() != 0) return 0;
  return chroot(".") == 0 && chdir("/") == 0 ? 0 : 1;
}

static int other_user(void) {
  if (geteuid() != 0) return 0;
  if (setgid(65534) != 0 || setuid(65534) != 0) return 1;
  return setuid(0) != 0 ? 0 : 2;
}

// Allows only write and the two exits; any other system call kills by SIGSYS.
static int filtered(void) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 2, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return 1;
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) return 2;
  if (write(1, "filtered\n", 9) != 9) _exit(3);
  _exit(0);
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "no-files") == 0) return no_files();
  if (strcmp(what, "no-bytes") == 0) return no_bytes();
  if (strcmp(what, "little-space") == 0) return little_space();
  if (strcmp(what, "chroot") == 0) return other_root();
  if (strcmp(what, "setuid") == 0) return other_user();
  if (strcmp(what, "seccomp") == 0) return filtered();
  fprintf(stderr, "limits: unknown: %s\n", what);
  return 100;
}
