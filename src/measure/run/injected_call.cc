// injected_call.cc: stops by PTRACE_SYSCALL at entry and exit of a call; steps and overwrites no
// instruction.
#include "measure/run/injected_call.h"

#include <elf.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tare::run {
namespace {

constexpr std::uint64_t kPage = 4096;

// Reads words of another process, one page at a time.
class RemoteWords {
 public:
  explicit RemoteWords(pid_t process) : process_(process) {}

  int Read(std::uint64_t address, std::uint64_t& word) {
    const std::uint64_t page = address / kPage * kPage;
    if (page != page_) {
      if (const int failed = ReadMemory(process_, page, bytes_)) return failed;
      page_ = page;
    }
    std::memcpy(&word, bytes_.data() + (address - page), sizeof word);
    return 0;
  }

 private:
  pid_t process_;
  std::uint64_t page_ = 1;
  std::array<std::byte, kPage> bytes_{};
};

// Advances `at` past the null pointer that ends the table.
int SkipPointers(RemoteWords& words, std::uint64_t& at) {
  std::uint64_t word = 1;
  while (word != 0) {
    if (const int failed = words.Read(at, word)) return failed;
    at += 8;
  }
  return 0;
}

int FindCallInstruction(pid_t process, std::uint64_t vdso, std::uint64_t& site) {
  if (vdso == 0) return ENOSYS;
  const CallInstruction wanted = CallInstructionHere();
  const unsigned step = wanted.bytes == 4 ? 4 : 1;
  std::array<std::byte, kPage> code;
  for (std::uint64_t page = vdso; ReadMemory(process, page, code) == 0; page += kPage) {
    for (std::size_t at = 0; at + wanted.bytes <= code.size(); at += step) {
      if (std::memcmp(code.data() + at, &wanted.code, wanted.bytes) != 0) continue;
      site = page + at;
      return 0;
    }
  }
  return ENOSYS;
}

}  // namespace

int ReadMemory(pid_t process, std::uint64_t from, std::span<std::byte> to) {
  const iovec local{to.data(), to.size()};
  const iovec remote{reinterpret_cast<void*>(from), to.size()};
  const ssize_t got = ::process_vm_readv(process, &local, 1, &remote, 1, 0);
  if (got < 0) return errno;
  return static_cast<std::size_t>(got) == to.size() ? 0 : EFAULT;
}

int WriteMemory(pid_t process, std::uint64_t to, std::span<const std::byte> from) {
  const iovec local{const_cast<std::byte*>(from.data()), from.size()};
  const iovec remote{reinterpret_cast<void*>(to), from.size()};
  const ssize_t put = ::process_vm_writev(process, &local, 1, &remote, 1, 0);
  if (put < 0) return errno;
  return static_cast<std::size_t>(put) == from.size() ? 0 : EFAULT;
}

int AwaitStop(pid_t thread, TraceStop& stop) {
  const auto id = static_cast<id_t>(thread);
  siginfo_t info{};
  while (::waitid(P_PID, id, &info, WEXITED | WSTOPPED | WNOWAIT | __WALL) != 0) {
    if (errno != EINTR) return errno;
  }
  if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED) return ESRCH;
  siginfo_t taken{};
  ::waitid(P_PID, id, &taken, WSTOPPED | WNOHANG | __WALL);
  stop = {.signal = info.si_status & 0x7f, .event = info.si_status >> 8};
  return 0;
}

int FindStartBlock(pid_t thread, StartBlock& block) {
  Registers registers;
  if (!registers.Read(thread)) return ESRCH;
  if (!registers.AreNative()) return ENOEXEC;
  block = {.start = registers.Stack()};
  RemoteWords words(thread);
  std::uint64_t at = block.start + 8;  // past argc
  for (int table = 0; table < 2; ++table) {
    if (const int failed = SkipPointers(words, at)) return failed;
  }
  for (std::uint64_t type = ~std::uint64_t{0}; type != AT_NULL; at += 16) {
    std::uint64_t value = 0;
    if (const int failed = words.Read(at, type)) return failed;
    if (const int failed = words.Read(at + 8, value)) return failed;
    if (type == AT_SYSINFO_EHDR) block.vdso = value;
    if (type == AT_BASE) block.loader = value;
  }
  block.end = at;
  return 0;
}

int InjectedCalls::Begin() {
  if (const int failed = FindStartBlock(thread_, start_)) return failed;
  if (const int failed = FindCallInstruction(thread_, start_.vdso, site_)) return failed;
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  if (::ptrace(PTRACE_GETSIGMASK, thread_, sizeof mask_, &mask_) != 0) return errno;
  if (::ptrace(PTRACE_SETSIGMASK, thread_, sizeof kAll, &kAll) != 0) return errno;
  // The kernel writes execve's result to a register at the call's exit, so save the registers after
  // it.
  if (const int failed = RunToCall()) return failed;
  return at_rest_.Read(thread_) ? 0 : ESRCH;
}

int InjectedCalls::Call(std::uint64_t number, const std::array<std::uint64_t, 6>& arguments,
                        std::uint64_t& answer) {
  Registers registers = at_rest_;
  registers.SetPc(site_);
  registers.SetCallNumber(number);
  registers.SetCallArguments(arguments);
  if (!registers.Write(thread_)) return ESRCH;
  for (int end = 0; end < 2; ++end) {
    if (const int failed = RunToCall()) return failed;
  }
  if (!registers.Read(thread_)) return ESRCH;
  answer = registers.CallAnswer();
  constexpr std::uint64_t kErrors = 4095;
  return answer >= -kErrors ? static_cast<int>(-answer) : 0;
}

int InjectedCalls::End() {
  if (!at_rest_.Write(thread_)) return ESRCH;
  if (::ptrace(PTRACE_SETSIGMASK, thread_, sizeof mask_, &mask_) != 0) return errno;
  if (stop_wanted_) ::kill(thread_, SIGSTOP);
  return 0;
}

// Runs to the next entry or exit of a system call.
int InjectedCalls::RunToCall() {
  while (true) {
    if (::ptrace(PTRACE_SYSCALL, thread_, nullptr, nullptr) != 0) return errno;
    TraceStop stop;
    if (const int failed = AwaitStop(thread_, stop)) return failed;
    if (stop.event == PTRACE_EVENT_EXIT) {
      ::ptrace(PTRACE_CONT, thread_, nullptr, nullptr);
      return ESRCH;
    }
    if (stop.event == 0 && stop.signal == SIGTRAP) return 0;
    // SIGSTOP cannot be blocked; deliver it later.
    stop_wanted_ = stop_wanted_ || (stop.event == 0 && stop.signal == SIGSTOP);
  }
}

}  // namespace tare::run
