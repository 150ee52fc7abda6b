// local_executor.cc: the loops over runs, and the lock that keeps studies apart.
#include "analysis/study/local_executor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "analysis/study/run_workers.h"
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

namespace {

// Shows the progress every now and then; Stopped() when the user interrupts.
class Watch {
 public:
  Watch(const RunSchedule& schedule, const StopAsked& interrupted, const Progress& progress)
      : schedule_(schedule), interrupted_(interrupted), progress_(progress) {}

  Result<void> Look() {
    if (interrupted_ && interrupted_()) return Stopped();
    const auto now = std::chrono::steady_clock::now();
    if (now - shown_ < kShowEvery) return {};
    if (!progress_(ProgressFraction(schedule_), ProgressText(schedule_))) return Stopped();
    shown_ = now;
    return {};
  }

 private:
  const RunSchedule& schedule_;
  const StopAsked& interrupted_;
  const Progress& progress_;
  std::chrono::steady_clock::time_point shown_{};
};

Result<void> Store(const StudyInProgress& parts, const PlannedRun& run, const RunRecord& record) {
  TRY_VOID(parts.store.Add(record));
  parts.schedule.Add(Brief(parts.study, run, record));
  return {};
}

Result<std::size_t> RunAtOnce(const StudyInProgress& parts, CaseRunner& runner, Watch& watch) {
  const std::size_t most = std::min(parts.study.executor.runs_at_once, parts.schedule.RunsLeft());
  TRY(auto workers,
      RunWorkers::Start(most, [&](const PlannedRun& planned) { return runner.Run(planned, 1); }));
  std::size_t count = 0;
  while (true) {
    TRY_VOID(watch.Look());
    while (workers.HasIdle()) {
      const auto next = parts.schedule.Next(1);
      if (next.empty()) break;
      TRY_VOID(workers.Begin(next.front()));
    }
    if (!workers.IsRunning()) return count;
    TRY(const auto done, workers.TakeDone(kShowEvery));
    if (!done) continue;
    TRY_VOID(Store(parts, done->run, done->record));
    ++count;
  }
}

Result<std::size_t> RunInTurn(const StudyInProgress& parts, CaseRunner& runner,
                              const StopAsked& interrupted, const Progress& progress,
                              Watch& watch) {
  std::size_t count = 0;
  const MachineLock lock;
  while (true) {
    TRY_VOID(watch.Look());
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
    TRY_VOID(Store(parts, next.front(), *record));
    ++count;
  }
}

}  // namespace

Result<std::size_t> RunLocally(const StudyInProgress& parts, CaseRunner& runner,
                               const StopAsked& interrupted, const Progress& progress) {
  Watch watch(parts.schedule, interrupted, progress);
  if (parts.study.executor.runs_at_once > 1) return RunAtOnce(parts, runner, watch);
  return RunInTurn(parts, runner, interrupted, progress, watch);
}

}  // namespace tare::study
