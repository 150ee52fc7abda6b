// repeat.cc: rounds of runs and the rules that stop them.
#include "measure/run/repeat.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "base/stop.h"
#include "stats/interval.h"
#include "stats/random.h"
#include "stats/shuffle.h"

namespace tare::run {
namespace {

Result<void> RequireSound(const Plan& plan) {
  const auto wrong = [](std::string_view why) { return Fail(ErrorKind::kUsage, std::string(why)); };
  if (plan.runs == 0) return wrong("the number of runs must be at least 1");
  if (plan.max_seconds && !(*plan.max_seconds > 0)) {
    return wrong("the time for all runs must be greater than 0");
  }
  if (!plan.until) return {};
  const Precision& until = *plan.until;
  if (!(until.relative_width > 0)) return wrong("the target width must be greater than 0");
  if (!(until.confidence > 0 && until.confidence < 1)) {
    return wrong("the confidence must be between 0 and 1");
  }
  if (until.min_runs == 0 || until.min_runs > until.max_runs) {
    return wrong("the minimum number of runs must be at least 1 and at most the maximum");
  }
  return {};
}

std::vector<double> TimesOf(const std::vector<Finished>& runs) {
  std::vector<double> times;
  times.reserve(runs.size());
  for (const Finished& run : runs) times.push_back(run.wall_seconds);
  return times;
}

class Repetition {
 public:
  Repetition(const Plan& plan, std::size_t settings,
             const std::function<Result<Finished>(std::size_t)>& run, const Progress& progress)
      : plan_(plan), run_(run), progress_(progress), generator_(plan.seed) {
    repeated_.runs.resize(settings);
  }

  Result<Repeated> All() {
    const std::size_t most = plan_.until ? plan_.until->max_runs : plan_.runs;
    expected_ = static_cast<double>((plan_.warm_up_runs + most) * repeated_.runs.size());
    for (std::size_t round = 0; round < plan_.warm_up_runs && !IsOutOfTime(); ++round) {
      TRY_VOID(Round(false));
    }
    for (std::size_t round = 0; round < most; ++round) {
      if (round > 0 && IsOutOfTime()) return Stop(Repeated::Stopped::kOutOfTime);
      TRY_VOID(Round(true));
      if (plan_.until && AllArePrecise()) return Stop(Repeated::Stopped::kDone);
    }
    return Stop(plan_.until ? Repeated::Stopped::kMaxRuns : Repeated::Stopped::kDone);
  }

 private:
  Result<void> Round(bool kept) {
    for (const std::size_t setting : stats::RandomOrder(repeated_.runs.size(), generator_)) {
      const std::string what =
          kept ? fmt::format("run {}", repeated_.runs[setting].size() + 1) : "warming up";
      if (!progress_(std::min(1.0, done_ / expected_), what)) return Stopped();
      TRY(Finished finished, run_(setting));
      if (finished.ended.interrupted) return Stopped();
      done_ += 1;
      seconds_ += finished.wall_seconds;
      if (!kept) continue;
      repeated_.runs[setting].push_back(std::move(finished));
      repeated_.order.push_back(setting);
    }
    return {};
  }

  bool IsOutOfTime() const { return plan_.max_seconds && seconds_ >= *plan_.max_seconds; }

  bool AllArePrecise() const {
    return std::ranges::all_of(repeated_.runs, [this](const std::vector<Finished>& runs) {
      return IsPreciseEnough(TimesOf(runs), *plan_.until);
    });
  }

  Repeated Stop(Repeated::Stopped why) {
    repeated_.stopped = why;
    return std::move(repeated_);
  }

  const Plan& plan_;
  const std::function<Result<Finished>(std::size_t)>& run_;
  const Progress& progress_;
  stats::Generator generator_;
  Repeated repeated_;
  double expected_ = 0;
  double done_ = 0;
  double seconds_ = 0;
};

}  // namespace

bool IsPreciseEnough(std::span<const double> samples, const Precision& until) {
  if (samples.size() < until.min_runs) return false;
  const auto centre = until.centre == Precision::Centre::kMean
                          ? stats::MeanInterval(samples, until.confidence)
                          : stats::MedianInterval(samples, until.confidence);
  if (!centre) return false;  // too few runs for the confidence level
  const double width = centre->High() - centre->Low();
  return width <= until.relative_width * std::abs(centre->Value());
}

Result<Repeated> Repeat(const Plan& plan, std::size_t settings,
                        const std::function<Result<Finished>(std::size_t setting)>& run,
                        const Progress& progress) {
  CHECK(settings > 0);
  TRY_VOID(RequireSound(plan));
  return Repetition(plan, settings, run, progress).All();
}

}  // namespace tare::run
