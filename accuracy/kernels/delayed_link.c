/* delayed_link.c: a link between two network namespaces whose packets arrive late.
 *
 * usage: delayed_link NAMESPACE NAMESPACE DEVICE MICROSECONDS
 *
 * Makes a TUN device of this name in both namespaces and carries packets from one to the other,
 * each MICROSECONDS after it was sent. Prints "ready" when the devices exist; ends with its
 * standard input. For kernels without netem. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { kPackets = 8192, kBytes = 16384 };

struct Packet {
  int64_t due_ns;
  int to;
  int bytes;
  char data[kBytes];
};

static int64_t Now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int Open(const char* name, const char* device) {
  char path[256];
  snprintf(path, sizeof path, "/var/run/netns/%s", name);
  const int space = open(path, O_RDONLY | O_CLOEXEC);
  if (space < 0 || setns(space, CLONE_NEWNET) != 0) return -1;
  close(space);
  const int file = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  struct ifreq request;
  memset(&request, 0, sizeof request);
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  snprintf(request.ifr_name, IFNAMSIZ, "%s", device);
  if (file < 0 || ioctl(file, TUNSETIFF, &request) != 0) return -1;
  return file;
}

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  const int64_t delay_ns = atol(argv[4]) * 1000;
  prctl(PR_SET_TIMERSLACK, 1);
  /* Ranks that poll would delay packets further; without the right to this, they do. */
  const struct sched_param priority = {.sched_priority = 10};
  sched_setscheduler(0, SCHED_FIFO, &priority);
  struct pollfd files[3] = {
      {Open(argv[1], argv[3]), POLLIN, 0}, {Open(argv[2], argv[3]), POLLIN, 0}, {0, POLLIN, 0}};
  if (files[0].fd < 0 || files[1].fd < 0) {
    fprintf(stderr, "delayed_link: %s\n", strerror(errno));
    return 1;
  }
  struct Packet* packets = malloc(sizeof *packets * kPackets);
  if (packets == NULL) return 1;
  puts("ready");
  fflush(stdout);
  unsigned first = 0;
  unsigned end = 0;
  for (;;) {
    while (first != end && packets[first % kPackets].due_ns <= Now()) {
      const struct Packet* packet = &packets[first % kPackets];
      /* A full device drops the packet, as a real link does. */
      if (write(packet->to, packet->data, (size_t)packet->bytes) < 0 && errno != EAGAIN &&
          errno != EIO)
        return 1;
      ++first;
    }
    struct timespec wait = {3600, 0};
    if (first != end) {
      const int64_t left = packets[first % kPackets].due_ns - Now();
      wait.tv_sec = 0;
      wait.tv_nsec = left > 0 ? left % 1000000000 : 0;
    }
    if (ppoll(files, 3, &wait, NULL) < 0 && errno != EINTR) return 1;
    if (files[2].revents != 0) return 0;
    for (int side = 0; side < 2; ++side) {
      while (end - first < kPackets) {
        struct Packet* packet = &packets[end % kPackets];
        const ssize_t bytes = read(files[side].fd, packet->data, kBytes);
        if (bytes <= 0) break;
        packet->bytes = (int)bytes;
        packet->to = files[1 - side].fd;
        packet->due_ns = Now() + delay_ns;
        ++end;
      }
    }
  }
}
