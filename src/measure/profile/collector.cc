// collector.cc: drains the rings and hands records on in order of time.
#include "measure/profile/collector.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <system_error>

namespace tare::profile {
namespace {

constexpr int kRoundMilliseconds = 50;

std::uint64_t ThreadCpuNs() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

Result<std::unique_ptr<Collector>> Collector::Begin(SamplingEvents events, SampleStore& store,
                                                    TakePart take_part) {
  for (const OpenedTimer& timer : events.Timers()) store.AddEvent(timer.event, timer.timer);
  std::unique_ptr<Collector> collector(
      new Collector(std::move(events), store, std::move(take_part)));
  try {
    collector->thread_ = std::thread([raw = collector.get()] { raw->Run(); });
  } catch (const std::system_error& error) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("cannot start the collector of samples: {}", error.what()));
  }
  return collector;
}

void Collector::Stop() {
  if (!thread_.joinable()) return;
  stop_ = true;
  thread_.join();
}

void Collector::Run() {
  while (!stop_) {
    events_.Wait(kRoundMilliseconds);
    TakeRound(false);
    if (checkpoints_.IsDue()) checkpoints_.Take(store_, events_.Time());
  }
  events_.Stop();
  time_ = events_.Time();
  TakeRound(true);
  cpu_ns_ = ThreadCpuNs();
  checkpoints_.Finish();
}

void Collector::TakeRound(bool last) {
  std::uint64_t newest = newest_ns_;
  events_.Drain([&](std::span<const std::byte> bytes) {
    auto record = ParseRecord(bytes, events_.Facts().layout);
    if (!record || record->kind == RecordKind::kOther) return;
    newest = std::max(newest, record->time_ns);
    waiting_.push_back(std::move(*record));
  });
  std::ranges::stable_sort(waiting_, {}, &PerfRecord::time_ns);
  auto end = last ? waiting_.end()
                  : std::ranges::upper_bound(waiting_, newest_ns_, {}, &PerfRecord::time_ns);
  for (auto record = waiting_.begin(); record != end; ++record) store_.Take(*record);
  waiting_.erase(waiting_.begin(), end);
  newest_ns_ = newest;
}

}  // namespace tare::profile
