// loop_count.cc: counting and checking the loops.
#include "machine/pmu/loop_count.h"

#include <fmt/format.h>

#include <cerrno>

#include "machine/pmu/user_read.h"

namespace tare::pmu {
namespace {

constexpr std::uint64_t kShort = 100'000;
constexpr std::uint64_t kLong = 300'000;

int OpenReadably(const EventCode& code) {
  const int descriptor = OpenForThisThread(WithUserRead(code));
  return descriptor >= 0 ? descriptor : OpenForThisThread(code);
}

bool WasShared(const EventCount& count) { return count.running_ns < count.enabled_ns; }

// The kernel's value must be between the two user-mode reads; otherwise one of them is wrong.
std::optional<bool> UserReadAgrees(const LoopReading& reading) {
  if (!reading.user_before || !reading.user_after) return std::nullopt;
  return *reading.user_before <= reading.count.value && reading.count.value <= *reading.user_after;
}

SelfTest Evaluate(LoopPart part, std::uint64_t counted) {
  const KnownCount known = KnownCountOf(part, kLong - kShort);
  SelfTest test;
  test.counted = counted;
  test.min_count = known.low;
  test.max_count = known.high;
  if (counted >= known.low && counted <= known.high) {
    test.works = Works::kCounts;
  } else if (counted < known.low / 100) {
    test.works = Works::kCountsNothing;
    test.reason = fmt::format("it counted {} instead of about {}", counted, known.low);
  } else {
    const double middle = (static_cast<double>(known.low) + static_cast<double>(known.high)) / 2;
    test.works = Works::kCountsWrong;
    test.reason = fmt::format("it counted {:.2f} times the true number",
                              static_cast<double>(counted) / middle);
  }
  return test;
}

}  // namespace

std::expected<LoopReading, int> CountLoopHere(const EventCode& code, LoopPart part,
                                              std::uint64_t iterations) {
  const int descriptor = OpenReadably(code);
  const EventHandle event(descriptor);
  if (!event.IsOpen()) return std::unexpected(-descriptor);
  const UserReadPage page(event);
  if (!event.Start()) return std::unexpected(EIO);
  RunKnownLoop(part, iterations);
  LoopReading reading;
  reading.user_before = page.Read();
  const auto count = event.Read();
  reading.user_after = page.Read();
  if (!event.Stop() || !count) return std::unexpected(EIO);
  reading.count = *count;
  return reading;
}

std::expected<SelfTest, int> TestByLoop(const EventCode& code, LoopPart part,
                                        const CountLoop& count) {
  SelfTest test;
  if (part == LoopPart::kNothing) {
    test.reason = "no workload is certain to cause it";
    return test;
  }
  const auto shorter = count(code, part, kShort);
  if (!shorter) return std::unexpected(shorter.error());
  const auto longer = count(code, part, kLong);
  if (!longer) return std::unexpected(longer.error());
  if (WasShared(shorter->count) || WasShared(longer->count)) {
    test.reason = "another program uses the counter";
    return test;
  }
  // A count that does not grow counts as 0.
  const std::uint64_t more =
      longer->count.value > shorter->count.value ? longer->count.value - shorter->count.value : 0;
  test = Evaluate(part, more);
  test.user_read_agrees = UserReadAgrees(*longer);
  return test;
}

}  // namespace tare::pmu
