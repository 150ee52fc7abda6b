// reader.cc: timing, listing, and running in child processes with limits.
#include "reader.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string_view>

namespace readers {
namespace {

using Task = std::uint64_t (*)(const std::string&, Listing*);

Task TaskNamed(const Reader& reader, std::string_view name) {
  if (name == "symbols") return reader.symbols;
  if (name == "lines") return reader.lines;
  if (name == "functions") return reader.functions;
  if (name == "instructions") return reader.instructions;
  if (name == "registers") return reader.registers;
  return name == "sourcemap" ? reader.sourcemap : nullptr;
}

std::int64_t Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

// VmHWM; ru_maxrss would include what the process was before exec.
std::int64_t PeakKib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      std::int64_t kib = 0;
      status >> kib;
      return kib;
    }
  return 0;
}

void Measure(Task task, const std::string& path) {
  const auto wall = Now(CLOCK_MONOTONIC);
  const auto processor = Now(CLOCK_PROCESS_CPUTIME_ID);
  const auto count = task(path, nullptr);
  const auto processor_ns = Now(CLOCK_PROCESS_CPUTIME_ID) - processor;
  const auto wall_ns = Now(CLOCK_MONOTONIC) - wall;
  fmt::print("{} {} {} {}\n", count, processor_ns, wall_ns, PeakKib());
}

constexpr rlim_t kSeconds = 10;
constexpr rlim_t kAddressSpace = rlim_t{8} << 30;

// Hostile files get little: a child that needs more processor time is ended by SIGXCPU. Valgrind
// needs more address space than the limit.
[[noreturn]] void ReadInChild(Task task, const std::string& path, bool limited) {
  const rlimit time{kSeconds, kSeconds + 1};
  const rlimit memory{kAddressSpace, kAddressSpace};
  const rlimit core{0, 0};
  if (limited) {
    setrlimit(RLIMIT_CPU, &time);
    setrlimit(RLIMIT_AS, &memory);
  }
  setrlimit(RLIMIT_CORE, &core);
  task(path, nullptr);
  std::exit(0);
}

void ReadEach(Task task, const std::string& list) {
  const bool limited = std::getenv("READERS_NO_LIMITS") == nullptr;
  std::ifstream paths(list);
  for (std::string path; std::getline(paths, path);) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) ReadInChild(task, path, limited);
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    std::string outcome = "ok";
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
      outcome = "timeout";
    } else if (WIFSIGNALED(status)) {
      outcome = fmt::format("signal {}", WTERMSIG(status));
    } else if (WEXITSTATUS(status) != 0) {
      outcome = fmt::format("status {}", WEXITSTATUS(status));
    }
    const auto milliseconds = (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
                              (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
    fmt::print("{}\t{}\t{}\t{}\n", path, outcome, milliseconds, usage.ru_maxrss);
  }
}

}  // namespace

int RunReader(const Reader& reader, int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: {} TASK FILE [--list] | TASK --each LIST\n", argv[0]);
    return 2;
  }
  const Task task = TaskNamed(reader, argv[1]);
  if (task == nullptr) {
    fmt::print(stderr, "{}: no such task here: {}\n", argv[0], argv[1]);
    return 3;
  }
  const std::string_view option = argc > 3 ? argv[3] : "";
  if (std::string_view(argv[2]) == "--each") {
    ReadEach(task, argc > 3 ? argv[3] : "");
  } else if (option == "--list") {
    Listing listing(argv[2]);
    task(argv[2], &listing);
    listing.Print();
  } else {
    Measure(task, argv[2]);
  }
  return 0;
}

}  // namespace readers
