// event_self_test.cc: workloads that certainly cause their events.
#include "machine/pmu/event_self_test.h"

#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

namespace tare::pmu {
namespace {

constexpr std::uint64_t kSpins = 100'000;
constexpr std::size_t kPages = 64;
constexpr int kSleeps = 3;

// Uninstrumented: accesses to a sanitizer's shadow memory would fault too.
#define TARE_UNWATCHED __attribute__((noinline, no_sanitize("address", "thread", "undefined")))

TARE_UNWATCHED void Spin() {
  volatile std::uint64_t iterations = 0;
  while (iterations < kSpins) iterations = iterations + 1;
}

TARE_UNWATCHED void Touch(volatile char* pages, std::size_t count, std::size_t page_bytes) {
  for (std::size_t i = 0; i < count; ++i) pages[i * page_bytes] = 1;
}

// Fresh small pages: one fault on a huge page would cover many of them.
class FreshPages {
 public:
  FreshPages()
      : page_bytes_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))),
        bytes_(kPages * page_bytes_),
        memory_(
            ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (IsThere()) ::madvise(memory_, bytes_, MADV_NOHUGEPAGE);
  }
  ~FreshPages() {
    if (IsThere()) ::munmap(memory_, bytes_);
  }
  FreshPages(const FreshPages&) = delete;
  FreshPages& operator=(const FreshPages&) = delete;

  bool IsThere() const { return memory_ != MAP_FAILED; }
  void TouchAll() const { Touch(static_cast<volatile char*>(memory_), kPages, page_bytes_); }

 private:
  std::size_t page_bytes_;
  std::size_t bytes_;
  void* memory_;
};

SelfTest NotTested(std::string reason) {
  SelfTest test;
  test.reason = std::move(reason);
  return test;
}

template <typename Work>
SelfTest Measure(const EventHandle& event, std::uint64_t min_count, Work work) {
  if (!event.Start()) return NotTested("the event cannot be started");
  work();
  if (!event.Stop()) return NotTested("the event cannot be stopped");
  const auto count = event.Read();
  if (!count) return NotTested("the event cannot be read");
  SelfTest test;
  test.counted = count->value;
  test.min_count = min_count;
  if (count->value >= min_count) {
    test.works = Works::kCounts;
  } else if (count->running_ns == 0 && count->enabled_ns > 0) {
    test.reason = "another program uses the counter";
  } else {
    test.works = Works::kCountsNothing;
    test.reason = "it counted less than the workload causes";
  }
  return test;
}

// Migrates to another processor and back.
SelfTest TestMigration(const EventHandle& event) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) {
    return NotTested("the thread's affinity cannot be read");
  }
  std::vector<std::size_t> usable;
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE && usable.size() < 2; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) usable.push_back(cpu);
  }
  if (usable.size() < 2) return NotTested("only one processor can be used");
  const auto move_to = [](std::size_t cpu) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ::sched_setaffinity(0, sizeof one, &one);
  };
  move_to(usable[0]);
  SelfTest test = Measure(event, 1, [&] {
    move_to(usable[1]);
    move_to(usable[0]);
  });
  ::sched_setaffinity(0, sizeof allowed, &allowed);
  return test;
}

}  // namespace

std::string_view Name(Works works) {
  switch (works) {
    case Works::kCounts:
      return "counts";
    case Works::kCountsNothing:
      return "does not count";
    case Works::kCountsWrong:
      return "wrong count";
    case Works::kNotTested:
      return "not tested";
  }
  return "not tested";
}

SelfTest TestEvent(const EventRow& row, const EventHandle& event) {
  switch (row.workload) {
    case Workload::kNone:
      return NotTested("no workload is certain to cause it");
    case Workload::kSpin:
      // Clock events count nanoseconds and need not reach the number of iterations.
      return Measure(event, row.event_class == EventClass::kSoftware ? 1 : kSpins, Spin);
    case Workload::kTouchPages: {
      const FreshPages pages;
      if (!pages.IsThere()) return NotTested("not enough memory for the test");
      return Measure(event, kPages, [&] { pages.TouchAll(); });
    }
    case Workload::kSleep:
      return Measure(event, 1, [] {
        for (int i = 0; i < kSleeps; ++i) {
          std::this_thread::sleep_for(std::chrono::microseconds(200));
        }
      });
    case Workload::kMigrate:
      return TestMigration(event);
  }
  return NotTested("no workload is certain to cause it");
}

}  // namespace tare::pmu
