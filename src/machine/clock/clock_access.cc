// clock_access.cc: detecting whether a clock is read by a system call.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <system_error>
#include <thread>

#include "machine/clock/clock.h"
#include "machine/clock/clock_reads.h"

namespace tare::clock {
namespace {

constexpr sock_filter Instruction(unsigned code, unsigned value, unsigned char yes,
                                  unsigned char no) {
  return {static_cast<unsigned short>(code), yes, no, value};
}

// Makes the system calls that read clocks fail with EPERM, for the calling thread only and
// permanently (seccomp(2)).
bool ForbidClockCalls() {
  constexpr unsigned kRefuse = SECCOMP_RET_ERRNO | EPERM;
  constexpr unsigned kEqual = BPF_JMP | BPF_JEQ | BPF_K;
  sock_filter program[] = {
      Instruction(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr), 0, 0),
      Instruction(kEqual, __NR_clock_gettime, 3, 0),
      Instruction(kEqual, __NR_gettimeofday, 2, 0),
      Instruction(kEqual, __NR_getrusage, 1, 0),
      Instruction(kEqual, __NR_times, 0, 1),
      Instruction(BPF_RET | BPF_K, kRefuse, 0, 0),
      Instruction(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0),
  };
  const sock_fprog filter{std::size(program), program};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) == 0;
}

bool ReadFails(const Clock& clock) {
  timespec now;
  if (clock.posix_id >= 0) return ::clock_gettime(clock.posix_id, &now) != 0;
  timeval day;
  if (clock.id == ClockId::kGettimeofday) return ::gettimeofday(&day, nullptr) != 0;
  rusage usage;
  if (clock.id == ClockId::kGetrusage) return ::getrusage(RUSAGE_SELF, &usage) != 0;
  // The C library hides a failure that returns -1, so the untouched buffer reveals it.
  tms ticks{};
  ticks.tms_utime = -1;
  ::times(&ticks);
  return ticks.tms_utime == -1;
}

}  // namespace

std::optional<Access> FindAccess(const Clock& clock) {
  if (clock.architecture != Architecture::kAny) return Access::kInstruction;
  std::optional<Access> access;
  try {
    // A seccomp filter cannot be removed, so it is installed on a thread that ends right after.
    std::thread([&] {
      if (!ForbidClockCalls()) return;
      access = ReadFails(clock) ? Access::kSystemCall : Access::kVdso;
    }).join();
  } catch (const std::system_error&) {
    return std::nullopt;
  }
  return access;
}

}  // namespace tare::clock
