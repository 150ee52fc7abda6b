// clock_order.cc: passing readings back and forth between two cores.
#include "machine/clock/clock_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <system_error>
#include <thread>

#include "machine/clock/clock_reads.h"
#include "machine/host/affinity.h"

namespace tare::clock {
namespace {

// `turn` is even for the first thread, odd for the second. The reading is written before the turn
// is passed on, so the other thread sees both.
struct Handover {
  alignas(64) std::atomic<std::uint64_t> turn{0};
  std::uint64_t reading = 0;
  alignas(64) std::atomic<bool> over{false};
};

struct Seen {
  Result<void> pinned;
  std::uint64_t backward = 0;
  std::uint64_t worst = 0;
};

constexpr std::uint64_t kSpinsBetweenChecks = 1024;

template <typename Read>
void TakeTurns(Handover& handover, std::uint64_t parity, unsigned processor,
               const OrderConfig& config, std::uint64_t deadline_ns, Seen& seen) {
  const auto pinned = host::PinnedThread::To(processor);
  if (!pinned) {
    seen.pinned = std::unexpected(pinned.error());
    handover.over = true;
    return;
  }
  for (std::uint64_t turn = parity; turn < config.hand_overs; turn += 2) {
    for (std::uint64_t spins = 1; handover.turn.load(std::memory_order_acquire) != turn; ++spins) {
      if (spins % kSpinsBetweenChecks != 0) continue;
      if (handover.over.load(std::memory_order_relaxed)) return;
      if (ReadMonotonic::Now() > deadline_ns) {
        handover.over = true;
        return;
      }
    }
    const std::uint64_t now = Read::Now();
    if (turn > 0 && now < handover.reading) {
      ++seen.backward;
      seen.worst = std::max(seen.worst, handover.reading - now);
    }
    handover.reading = now;
    handover.turn.store(turn + 1, std::memory_order_release);
    if (turn % 256 == parity && ReadMonotonic::Now() > deadline_ns) {
      handover.over = true;
      return;
    }
  }
}

template <typename Read>
Result<Order> Run(unsigned first, unsigned second, const OrderConfig& config) {
  Handover handover;
  Seen seen[2];
  const std::uint64_t deadline =
      ReadMonotonic::Now() + static_cast<std::uint64_t>(config.max_seconds * 1e9);
  try {
    std::jthread other([&] { TakeTurns<Read>(handover, 1, second, config, deadline, seen[1]); });
    std::jthread one([&] { TakeTurns<Read>(handover, 0, first, config, deadline, seen[0]); });
  } catch (const std::system_error& error) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("cannot start a thread: {}", error.code().message()));
  }
  TRY_VOID(seen[0].pinned);
  TRY_VOID(seen[1].pinned);
  return Order{first, second, handover.turn.load(), seen[0].backward + seen[1].backward,
               std::max(seen[0].worst, seen[1].worst)};
}

}  // namespace

Result<Order> MeasureOrder(const Clock& clock, const OrderConfig& config) {
  TRY_VOID(Availability(clock));
  if (clock.counts == Counts::kThreadCpu) {
    return Fail(ErrorKind::kUnsupported,
                "each thread has its own CPU time, so two threads' readings have no order");
  }
  TRY(const auto processors, host::AllowedProcessors());
  if (processors.size() < 2) {
    return Fail(ErrorKind::kUnsupported, "this process may use only one processor");
  }
  return WithClock(clock.id, [&](auto read) {
    return Run<decltype(read)>(processors.front(), processors.back(), config);
  });
}

}  // namespace tare::clock
