// counting_process.cc: threads that count and read the clock.
#include "machine/load/counting_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <system_error>
#include <thread>

#include "base/check.h"
#include "base/stop.h"
#include "machine/clock/chain.h"
#include "machine/clock/clock_reads.h"
#include "machine/host/affinity.h"

namespace tare::load {
namespace {

using clock::ReadMonotonic;
using ReadThreadCpu = clock::ReadClockGettime<CLOCK_THREAD_CPUTIME_ID>;

// Long enough that reading the clock after each chunk costs a few tenths of a percent, short enough
// to resolve the scheduler's time slices.
constexpr std::uint64_t kChunkSteps = 8192;
// A chunk that takes this many times the shortest was preempted by another process; interrupts are
// shorter.
constexpr std::uint64_t kGapFactor = 4;
// Slices for which memory is reserved; more are added when they are needed.
constexpr double kMaxReserved = 1e5;
constexpr auto kPoll = std::chrono::milliseconds(50);
constexpr std::uint64_t kStartDelayNs = 5'000'000;

struct Counter {
  CoreCounts counts;
  Result<void> pinned;
};

void Count(Counter& counter, const CountConfig& config, std::uint64_t start_ns,
           const std::atomic<bool>& stop) {
  const auto pinned = host::PinnedThread::To(counter.counts.core);
  if (!pinned) {
    counter.pinned = std::unexpected(pinned.error());
    return;
  }
  const auto slice_ns = static_cast<std::uint64_t>(config.slice_seconds * 1e9);
  const auto total_ns = static_cast<std::uint64_t>(config.total_seconds * 1e9);
  std::uint64_t chain = counter.counts.core + 1;
  std::uint64_t now = ReadMonotonic::Now();
  while (now < start_ns) now = ReadMonotonic::Now();
  std::uint64_t shortest = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t last_ns = start_ns + total_ns;
  while (now < last_ns && !stop.load(std::memory_order_relaxed)) {
    const std::uint64_t begin = now;
    const std::uint64_t cpu_begin = ReadThreadCpu::Now();
    // The next grid boundary after `begin`, so that a delayed thread does not shift later slices.
    const std::uint64_t until = start_ns + ((begin - start_ns) / slice_ns + 1) * slice_ns;
    std::uint64_t chunks = 0;
    std::uint64_t longest_gap = 0;
    std::uint32_t gaps = 0;
    while (now < until && !stop.load(std::memory_order_relaxed)) {
      chain = clock::DependentChain(chain, kChunkSteps);
      ++chunks;
      const std::uint64_t after = ReadMonotonic::Now();
      const std::uint64_t took = std::max<std::uint64_t>(after - now, 1);
      shortest = std::min(shortest, took);
      if (took > kGapFactor * shortest) {
        ++gaps;
        longest_gap = std::max(longest_gap, took - shortest);
      }
      now = after;
    }
    const std::uint64_t cpu_ns = ReadThreadCpu::Now() - cpu_begin;
    const auto seconds = [&](std::uint64_t ns) {
      return static_cast<double>(ns - start_ns) * 1e-9;
    };
    counter.counts.slices.push_back(
        {seconds(begin), seconds(now), static_cast<double>(chunks * kChunkSteps),
         static_cast<double>(cpu_ns) * 1e-9, static_cast<double>(longest_gap) * 1e-9, gaps});
  }
}

Result<void> CheckConfig(const CountConfig& config) {
  const bool sane = config.slice_seconds >= 1e-3 && config.slice_seconds <= 3600 &&
                    config.total_seconds >= config.slice_seconds && config.total_seconds <= 1e7;
  if (!sane) {
    return Fail(
        ErrorKind::kUsage,
        fmt::format("cannot count for {} s in slices of {} s; a slice must take 1 ms to 1 h",
                    config.total_seconds, config.slice_seconds));
  }
  const std::set<unsigned> distinct(config.cores.begin(), config.cores.end());
  if (config.cores.empty() || distinct.size() != config.cores.size()) {
    return Fail(ErrorKind::kUsage, "give at least one core, and each core once");
  }
  CHECK(config.copies >= 1);
  return {};
}

}  // namespace

Result<std::vector<CoreCounts>> CountOnCores(const CountConfig& config, std::string_view what,
                                             const Progress& progress) {
  TRY_VOID(CheckConfig(config));
  std::vector<Counter> counters(config.cores.size() * config.copies);
  for (std::size_t i = 0; i < counters.size(); ++i) {
    counters[i].counts.core = config.cores[i / config.copies];
    const double slices = std::ceil(config.total_seconds / config.slice_seconds) + 1;
    counters[i].counts.slices.reserve(static_cast<std::size_t>(std::min(slices, kMaxReserved)));
  }
  std::atomic<bool> stop{false};
  bool interrupted = false;
  const std::uint64_t start_ns = ReadMonotonic::Now() + kStartDelayNs;
  std::vector<std::jthread> threads;
  try {
    for (auto& counter : counters) {
      threads.emplace_back([&] { Count(counter, config, start_ns, stop); });
    }
    while (!interrupted) {
      const double done =
          (static_cast<double>(ReadMonotonic::Now()) - static_cast<double>(start_ns)) * 1e-9;
      if (done >= config.total_seconds) break;
      if (config.ended && config.ended()) {
        stop = true;
        break;
      }
      interrupted = !progress(std::max(done, 0.0) / config.total_seconds, what);
      std::this_thread::sleep_for(kPoll);
    }
  } catch (const std::system_error& error) {
    stop = true;
    threads.clear();
    return Fail(ErrorKind::kUnsupported,
                fmt::format("cannot start a thread: {}", error.code().message()));
  }
  if (interrupted) stop = true;
  threads.clear();
  if (interrupted) return Stopped();
  std::vector<CoreCounts> counts;
  for (auto& counter : counters) {
    TRY_VOID(counter.pinned);
    counts.push_back(std::move(counter.counts));
  }
  return counts;
}

}  // namespace tare::load
