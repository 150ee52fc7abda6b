// local_executor.cc: the loop over runs, and the lock that keeps studies apart.
#include "analysis/study/local_executor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "base/units.h"

namespace tare::study {
namespace {

constexpr std::chrono::milliseconds kShowEvery{250};

std::filesystem::path LockPath() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && *runtime == '/') {
    return std::filesystem::path(runtime) / "tare-study.lock";
  }
  return fmt::format("/tmp/tare-study-{}.lock", ::getuid());
}

}  // namespace

MachineLock::MachineLock()
    : file_(Descriptor::AboveStandard(
          ::open(LockPath().c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600))) {}

Result<void> MachineLock::Take(const StopAsked& interrupted,
                               const std::function<void()>& waiting) const {
  if (!file_.IsOpen()) return {};
  const auto start = std::chrono::steady_clock::now();
  bool said = false;
  while (::flock(file_.Number(), LOCK_EX | LOCK_NB) != 0 && errno != ENOLCK) {
    if (interrupted && interrupted()) return Stopped();
    if (!said && std::chrono::steady_clock::now() - start >= kShowEvery) {
      waiting();
      said = true;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return {};
}

void MachineLock::Release() const {
  if (file_.IsOpen()) ::flock(file_.Number(), LOCK_UN);
}

StoredRun Brief(const Study& study, const PlannedRun& planned, const RunRecord& record) {
  StoredRun stored{planned, record.Succeeded(), record.seconds, std::nullopt};
  if (!study.precision || !record.Succeeded()) return stored;
  const auto value =
      std::ranges::find(record.values, study.precision->metric, &MetricValue::metric);
  if (value != record.values.end()) stored.precise = AsDouble(value->value);
  return stored;
}

Result<void> AddStoredRuns(const Study& study, const StudyCases& cases, const StudyStore& store,
                           RunSchedule& schedule) {
  std::vector<std::string> keys;
  for (const StudyCase& one : cases.cases) keys.push_back(one.key);
  TRY(const auto runs, store.RunsOf(keys, study.precision ? study.precision->metric : ""));
  for (const auto& run : runs) {
    schedule.Add({{run.index, run.repetition},
                  run.succeeded,
                  run.seconds,
                  run.succeeded ? run.value : std::nullopt});
  }
  return {};
}

double ProgressFraction(const RunSchedule& schedule) {
  const auto done = static_cast<double>(schedule.Stored());
  const double all = done + static_cast<double>(schedule.RunsLeft());
  return all > 0 ? done / all : 1;
}

std::string ProgressText(const RunSchedule& schedule) {
  const std::size_t done = schedule.Stored();
  const std::size_t left = schedule.RunsLeft();
  const auto seconds = schedule.SecondsLeft();
  return fmt::format("run {} of {}{}", done + 1, done + left,
                     seconds ? fmt::format(", {} left", LongDuration(*seconds)) : "");
}

Result<std::size_t> RunLocally(const StudyInProgress& parts, CaseRunner& runner,
                               const StopAsked& interrupted, const Progress& progress) {
  using Clock = std::chrono::steady_clock;
  std::size_t count = 0;
  Clock::time_point shown{};
  const MachineLock lock;
  while (true) {
    if (interrupted && interrupted()) return Stopped();
    if (Clock::now() - shown >= kShowEvery) {
      if (!progress(ProgressFraction(parts.schedule), ProgressText(parts.schedule))) {
        return Stopped();
      }
      shown = Clock::now();
    }
    const auto next = parts.schedule.Next(1);
    if (next.empty()) return count;
    if (parts.study.executor.exclusive) {
      TRY_VOID(lock.Take(interrupted, [&] {
        progress(ProgressFraction(parts.schedule), "waiting for another study on this machine");
      }));
    }
    auto record = runner.Run(next.front(), 1);
    if (parts.study.executor.exclusive) lock.Release();
    if (!record) return std::unexpected(record.error());
    TRY_VOID(parts.store.Add(*record));
    parts.schedule.Add(Brief(parts.study, next.front(), *record));
    ++count;
  }
}

}  // namespace tare::study
