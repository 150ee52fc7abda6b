// shared_file.cc: checks before a file is opened, and a handler of SIGBUS.
#include "format/shared_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <mutex>

#include "base/file.h"
#include "base/printable.h"

namespace tare::format {

// Ranges are reused and never freed, so that the handler can walk over them at any time.
struct CutGuard::Range {
  std::atomic<std::uintptr_t> begin = 0;  // 0: unused
  std::atomic<std::uintptr_t> end = 0;
  std::atomic<bool> cut = false;
  Range* next = nullptr;
};

// The handler, and what it needs.
struct CutHandler {
  static inline std::atomic<CutGuard::Range*> first = nullptr;
  static inline std::mutex making;
  static inline struct sigaction before{};
  static inline std::uintptr_t page = 4096;

  static CutGuard::Range* Unused() {
    for (CutGuard::Range* range = first.load(); range != nullptr; range = range->next) {
      if (range->begin.load() == 0) return range;
    }
    auto* const made = new CutGuard::Range;
    made->next = first.load();
    first.store(made);
    return made;
  }

  // Async-signal-safe: loads, stores and system calls only.
  static void Handle(int number, siginfo_t* about, void*) {
    const int saved = errno;
    const auto at = reinterpret_cast<std::uintptr_t>(about->si_addr);
    for (CutGuard::Range* range = first.load(); range != nullptr; range = range->next) {
      const std::uintptr_t begin = range->begin.load();
      if (begin == 0 || at < begin || at >= range->end.load()) continue;
      range->cut.store(true);
      void* const start = reinterpret_cast<void*>(at - at % page);
      if (::mmap(start, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
                 0) == MAP_FAILED) {
        break;
      }
      errno = saved;
      return;
    }
    // Not ours: the access is repeated without this handler.
    ::sigaction(number, &before, nullptr);
    errno = saved;
  }

  static void Install() {
    static std::once_flag once;
    std::call_once(once, [] {
      page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
      struct sigaction action{};
      action.sa_sigaction = &Handle;
      action.sa_flags = SA_SIGINFO | SA_ONSTACK;
      ::sigemptyset(&action.sa_mask);
      ::sigaction(SIGBUS, &action, &before);
    });
    sigset_t bus;
    ::sigemptyset(&bus);
    ::sigaddset(&bus, SIGBUS);
    ::pthread_sigmask(SIG_UNBLOCK, &bus, nullptr);
  }
};

Result<Descriptor> OpenShared(const std::filesystem::path& path, bool writable) {
  const int flags = (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  auto file = Descriptor::AboveStandard(::open(path.c_str(), flags));
  if (!file.IsOpen()) return std::unexpected(SystemError("open", path, errno));
  struct stat about{};
  if (::fstat(file.Number(), &about) != 0) {
    return std::unexpected(SystemError("read", path, errno));
  }
  if (!S_ISREG(about.st_mode)) {
    return Fail(ErrorKind::kFormat, fmt::format("{}: the program replaced this file of tare",
                                                Printable(path.string())));
  }
  return file;
}

CutGuard::CutGuard(const void* base, std::uint64_t bytes) {
  CutHandler::Install();
  const std::scoped_lock lock(CutHandler::making);
  range_ = CutHandler::Unused();
  const auto begin = reinterpret_cast<std::uintptr_t>(base);
  range_->cut.store(false);
  range_->end.store(begin + bytes);
  range_->begin.store(begin);
}

CutGuard::~CutGuard() { range_->begin.store(0); }

bool CutGuard::WasCut() const { return range_->cut.load(); }

std::unexpected<Error> FileWasCut(const std::filesystem::path& path) {
  return Fail(ErrorKind::kFormat,
              fmt::format("{}: the program cut this file of tare short", Printable(path.string())));
}

}  // namespace tare::format
