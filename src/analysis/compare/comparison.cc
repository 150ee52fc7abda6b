// comparison.cc: tries the commands, counts them, runs a pilot, plans the number of layouts and
// measures them.
#include "analysis/compare/comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "analysis/compare/layout_causes.h"
#include "analysis/compare/shell_command.h"
#include "base/stop.h"
#include "base/units.h"
#include "machine/host/other_programs.h"
#include "stats/interval.h"
#include "stats/outlier.h"
#include "stats/signed_rank.h"
#include "stats/summary.h"

namespace tare::compare {
namespace {

constexpr double kBudgetRounds = 125;
constexpr double kMinBudget = 2;
constexpr double kMaxDefaultBudget = 60;
constexpr std::size_t kPilotUnits = 12;
constexpr std::size_t kNaturalRounds = 12;
constexpr std::size_t kMaxUnits = 1500;
constexpr std::size_t kMaxRoundsPerLayout = 2;
// Without a pilot, runs are assumed to vary by so much.
constexpr double kUsualDeviation = 0.02;
constexpr double kWorthSaying = 3600;
// The part of the budget that finding causes in the layout may take in addition.
constexpr double kCauseShare = 0.5;

double MeanRatio(const std::vector<TimedRound>& rounds, std::size_t command) {
  double first = 0;
  double other = 0;
  for (const TimedRound& timed : rounds) {
    first += timed.round.seconds.front();
    other += timed.round.seconds[command];
  }
  return other / first;
}

std::vector<Round> RoundsIn(const std::vector<TimedRound>& rounds, bool natural) {
  std::vector<Round> chosen;
  for (const TimedRound& timed : rounds) {
    if ((timed.round.layout == 0) == natural) chosen.push_back(timed.round);
  }
  return chosen;
}

class Comparer {
 public:
  Comparer(const CompareRequest& request, const Progress& progress)
      : request_(request), progress_(progress), runner_(WithOrders(request)) {
    commands_ = request.plan.commands.size();
    for (const auto& command : request.plan.commands) report_.labels.push_back(command.label);
    unit_ = request.fixed_layout                ? Unit::kRound
            : request.plan.variation.builds > 1 ? Unit::kBuild
                                                : Unit::kLayout;
    // The control is not one of the claims.
    const std::size_t comparisons = commands_ - 1 - (request.has_control ? 1 : 0);
    levels_ = LevelsFor(request.confidence, comparisons);
    for (const TimedRound& timed : request.earlier) Keep(timed);
  }

  Result<CompareReport> Compare() {
    if (!request_.setup.empty()) {
      TRY_VOID(RunShell({"--setup", request_.setup}, request_.plan.interrupted));
    }
    auto measured = Measure();
    if (!request_.cleanup.empty()) {
      TRY_VOID(RunShell({"--cleanup", request_.cleanup}, {}));
    }
    if (!measured) {
      const bool stopped = measured.error().kind == ErrorKind::kInterrupted;
      if (!stopped || report_.rounds.empty()) return std::unexpected(measured.error());
      report_.interrupted = true;
      report_.caveats.push_back({CaveatId::kIncomplete, "the user stopped the comparison"});
    }
    Conclude();
    return std::move(report_);
  }

 private:
  // A resumed comparison does not repeat the orders of its first part.
  static RunPlan WithOrders(const CompareRequest& request) {
    RunPlan plan = request.plan;
    plan.order_seed = plan.seed + request.earlier.size();
    return plan;
  }

  double Elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  Result<void> Measure() {
    TRY_VOID(Show(0, "trying the commands"));
    TRY(round_seconds_, runner_.TryCommands(!request_.fixed_layout && request_.times));
    report_.budget_seconds = request_.budget_seconds.value_or(
        std::clamp(kBudgetRounds * round_seconds_, kMinBudget, kMaxDefaultBudget));
    if (request_.counts) TRY_VOID(Count());
    if (!request_.times) return {};
    SayWhatAnAnswerTakes();
    SayWhatItTakes();
    TRY_VOID(WarmUp());
    start_ = std::chrono::steady_clock::now();
    TRY_VOID(TimeRounds());
    TRY_VOID(runner_.CheckOutputs());
    return FindCauses();
  }

  Result<void> Show(double fraction, std::string_view what) {
    if (!progress_(fraction, what)) return Stopped();
    return {};
  }

  Result<void> Count() {
    const std::size_t counted = commands_ - (request_.has_control ? 1 : 0);
    for (std::size_t command = 0; command < counted; ++command) {
      TRY_VOID(Show(0, fmt::format("counting command {} of {}", command + 1, counted)));
      const ComparedCommand& compared = request_.plan.commands[command];
      const Progress silent = [this](double, std::string_view) { return progress_(0, "counting"); };
      TRY(auto counts,
          CountCommand(compared.programs.front(), compared.counted,
                       round_seconds_ / static_cast<double>(commands_), request_.count, silent));
      report_.counts.push_back(std::move(counts));
    }
    return {};
  }

  Result<void> WarmUp() {
    for (std::size_t i = 0; i < request_.warm_up_rounds; ++i) {
      TRY_VOID(Show(0, "warming up"));
      TRY_VOID(runner_.RunOnce(Layout(0), false));
    }
    return {};
  }

  RunLayout Layout(std::size_t number) const {
    return MakeLayout(number, runner_.Varied(), request_.plan.seed);
  }

  // Before the first timed run: a request that no budget can meet.
  void SayWhatItTakes() {
    const double quantiles = 3.24;  // of UnitsNeeded at 95 %
    const double units = std::pow(quantiles * kUsualDeviation / std::log1p(request_.detect), 2);
    const double seconds = units * UnitRounds() * round_seconds_;
    if (request_.runs || seconds < std::max(kWorthSaying, 2 * report_.budget_seconds)) return;
    Notice(seconds, units, fmt::format("if runs vary by {:.0f} %", 100 * kUsualDeviation));
  }

  void Notice(double seconds, double units, const std::string& condition) {
    Notice(fmt::format("to detect {} % takes about {} runs of each command and {}, {}",
                       Rounded(100 * request_.detect, 3), Rounded(units * UnitRounds(), 2),
                       LongDuration(seconds), condition));
  }

  void Notice(const std::string& sentence) {
    if (!request_.notice || noticed_) return;
    noticed_ = true;
    request_.notice(fmt::format("{}; this comparison stops after {} (--budget)", sentence,
                                LongDuration(report_.budget_seconds)));
  }

  // Before the first timed run: a budget that is too short for any interval.
  void SayWhatAnAnswerTakes() {
    const double seconds = static_cast<double>(MinUnits()) * round_seconds_;
    if (request_.runs || !request_.budget_seconds || seconds <= report_.budget_seconds) return;
    Notice(fmt::format("an answer needs at least {} runs of each command, which take about {}",
                       MinUnits(), LongDuration(seconds)));
  }

  std::size_t MinUnits() const { return stats::SignedRankSamples(levels_.final); }

  double UnitRounds() const {
    return unit_ == Unit::kRound ? 1 : static_cast<double>(report_.rounds_per_layout);
  }

  std::vector<double> Ratios(std::size_t command) const {
    return LogRatios(RoundsIn(report_.rounds, unit_ == Unit::kRound), command, unit_);
  }

  Result<void> KeepRound(const RunLayout& layout, bool reversed) {
    TRY(auto timed, runner_.RunOnce(layout, reversed));
    Keep(std::move(timed));
    ++measured_rounds_;
    return {};
  }

  void Keep(TimedRound timed) {
    const std::size_t layout = timed.round.layout;
    if ((layout == 0) == (unit_ == Unit::kRound)) ++counted_rounds_;
    if (layout == 0) ++natural_rounds_;
    last_layout_ = std::max(last_layout_, layout);
    report_.rounds.push_back(std::move(timed));
  }

  // The mean wall time of a round, with everything around it.
  double RoundCost() const {
    if (measured_rounds_ == 0) return round_seconds_;
    return Elapsed() / static_cast<double>(measured_rounds_);
  }

  Result<void> ShowRounds(std::size_t planned) {
    const double all = static_cast<double>(std::max<std::size_t>(planned, 1)) * UnitRounds();
    const double done = static_cast<double>(counted_rounds_);
    const double left = std::max(0.0, all - done) * RoundCost();
    return Show(std::min(1.0, done / all), fmt::format("{} of {:.0f} rounds, {} left",
                                                       counted_rounds_, all, LongDuration(left)));
  }

  // Adds units until there are `wanted`, or the time is up and the smallest number is reached.
  Result<void> RunUnits(std::size_t wanted, std::size_t min_units) {
    while (Added() < wanted) {
      if (Added() >= min_units && Elapsed() + UnitRounds() * RoundCost() > report_.budget_seconds) {
        return {};
      }
      TRY_VOID(ShowRounds(wanted));
      if (unit_ == Unit::kRound) {
        TRY_VOID(KeepRound(Layout(0), false));
        continue;
      }
      const RunLayout layout = Layout(last_layout_ + 1);
      for (std::size_t i = 0; i < report_.rounds_per_layout; ++i) {
        TRY_VOID(KeepRound(layout, i % 2 == 1));
      }
      if (natural_rounds_ < kNaturalRounds && report_.rounds_per_layout > 1) {
        TRY_VOID(KeepRound(Layout(0), natural_rounds_ % 2 == 1));
      }
    }
    return {};
  }

  // Layouts, or rounds in a fixed layout. Several layouts share a build.
  std::size_t Added() const { return unit_ == Unit::kRound ? counted_rounds_ : last_layout_; }

  Result<void> TimeRounds() {
    const std::size_t min_units = MinUnits();
    ChooseRoundsPerLayout(min_units);
    const std::size_t builds = request_.plan.variation.builds;
    if (request_.runs) {
      const double units = std::ceil(static_cast<double>(*request_.runs) / UnitRounds());
      report_.budget_seconds = request_.budget_seconds.value_or(HUGE_VAL);
      return RunUnits(static_cast<std::size_t>(units), 1);
    }
    // Every build is used equally often.
    const std::size_t least = std::max(min_units, builds > 1 ? builds : 0);
    const std::size_t pilot =
        std::max({kPilotUnits, stats::SignedRankSamples(levels_.pilot), least});
    // A budget that the user set is kept, even if it leaves no answer.
    TRY_VOID(RunUnits(pilot, request_.budget_seconds ? 1 : least));
    if (Added() < pilot || IsDecidedEarly()) return {};
    double wanted = 0;
    for (std::size_t command = 1; command < commands_; ++command) {
      const auto needed = UnitsNeeded(Ratios(command), request_.detect, levels_.final);
      if (needed) wanted = std::max(wanted, *needed);
    }
    if (builds > 1) {
      // More rounds in each build: their noise averages out, the builds stay.
      wanted = std::ceil(wanted / static_cast<double>(builds)) * static_cast<double>(builds);
    }
    report_.units_wanted = wanted;
    const double seconds = wanted * UnitRounds() * RoundCost();
    if (seconds > std::max(kWorthSaying, 2 * report_.budget_seconds)) {
      Notice(seconds, wanted, "as far as the first runs show");
    }
    return RunUnits(static_cast<std::size_t>(std::min(std::ceil(wanted), double{kMaxUnits})),
                    pilot);
  }

  // Two rounds in each layout show the layout's own effect; one is enough for long programs.
  void ChooseRoundsPerLayout(std::size_t min_units) {
    const double possible = report_.budget_seconds / std::max(round_seconds_, 1e-6);
    const double needed = static_cast<double>(kMaxRoundsPerLayout * min_units);
    report_.rounds_per_layout = possible < needed && !request_.runs ? 1 : kMaxRoundsPerLayout;
    for (const TimedRound& timed : request_.earlier) {
      if (timed.round.layout == 0) continue;
      const auto same = std::ranges::count_if(request_.earlier, [&](const TimedRound& other) {
        return other.round.layout == timed.round.layout;
      });
      report_.rounds_per_layout = static_cast<std::size_t>(same);
      break;
    }
  }

  // After the pilot: large differences and clear equality need no more runs.
  bool IsDecidedEarly() {
    for (std::size_t command = 1; command < commands_; ++command) {
      const auto ratio = RatioOf(Ratios(command), levels_.pilot);
      if (!ratio || AnswerOf(*ratio, request_.detect) == Answer::kUndecided) return false;
      const double difference = std::abs(ratio->Value() - 1);
      if (ratio->HalfWidth() > std::max(request_.detect, difference / 5)) return false;
    }
    decided_early_ = true;
    return true;
  }

  // The layouts that show a command's layout effect, if there is one worth naming.
  std::optional<LayoutPair> PairFor(std::size_t command) const {
    const auto rounds = RoundsIn(report_.rounds, false);
    const auto effect = LayoutEffectOf(rounds, command);
    if (!effect) return std::nullopt;
    if (NaturalDiffers(command)) {
      // From the natural layout to the one that is farthest from it.
      const auto natural = LogRatios(RoundsIn(report_.rounds, true), command, Unit::kLayout);
      const double distance_low = std::abs(natural.front() - std::log(effect->low));
      const double distance_high = std::abs(natural.front() - std::log(effect->high));
      const std::size_t farther =
          distance_low > distance_high ? effect->low_layout : effect->high_layout;
      return LayoutPair{Layout(0), Layout(farther), command};
    }
    if (!effect->matters) return std::nullopt;
    return LayoutPair{Layout(effect->low_layout), Layout(effect->high_layout), command};
  }

  bool NaturalDiffers(std::size_t command) const {
    const auto natural =
        RatioOf(LogRatios(RoundsIn(report_.rounds, true), command, Unit::kRound), 0.95);
    const auto over = RatioOf(Ratios(command), 0.95);
    if (!natural || !over) return false;
    return natural->Low() > over->High() || natural->High() < over->Low();
  }

  Result<void> FindCauses() {
    causes_.resize(commands_);
    if (request_.fixed_layout) return {};
    const double allowed = kCauseShare * report_.budget_seconds;
    double planned = 0;
    for (std::size_t command = 1; command < commands_; ++command) {
      const auto pair = PairFor(command);
      if (!pair) continue;
      planned += static_cast<double>(RoundsForCauses(*pair)) * RoundCost();
      if (planned > allowed && !request_.runs) return {};
      TRY_VOID(Show(1, "finding what in the layout matters"));
      TRY(causes_[command], FindLayoutCauses(runner_, *pair));
    }
    return {};
  }

  void Conclude() {
    report_.spent_seconds = Elapsed();
    report_.builds = request_.plan.variation.builds;
    if (!std::isfinite(report_.budget_seconds)) report_.budget_seconds = report_.spent_seconds;
    if (unit_ != Unit::kRound) report_.layouts = Added();
    if (request_.times) {
      const double level = decided_early_ ? levels_.pilot : levels_.final;
      report_.answers = AnswersOf(report_.rounds, commands_, unit_, request_.detect, level);
      for (std::size_t command = 1; command < commands_; ++command) {
        CommandAnswer& answer = report_.answers[command];
        // The level that holds for all comparisons and both times of decision together.
        if (answer.ratio.confidence) answer.ratio.confidence = request_.confidence;
        if (unit_ == Unit::kRound) continue;
        answer.natural_differs = NaturalDiffers(command);
        if (command < causes_.size()) answer.causes = causes_[command];
      }
      if (request_.fixed_layout) report_.caveats.push_back({CaveatId::kFixedLayout, ""});
    }
    const auto& more = runner_.Caveats();
    report_.caveats.insert(report_.caveats.end(), more.begin(), more.end());
    for (const CommandCounts& counts : report_.counts) {
      report_.caveats.insert(report_.caveats.end(), counts.caveats.begin(), counts.caveats.end());
    }
    runner_.EndSupervisor();
    if (request_.times) report_.disturbances = others_.Disturbances();
  }

  const CompareRequest& request_;
  const Progress& progress_;
  const host::OtherPrograms others_;
  RoundRunner runner_;
  CompareReport report_;
  std::size_t commands_ = 0;
  Unit unit_ = Unit::kLayout;
  LookLevels levels_{};
  double round_seconds_ = 0;
  std::size_t measured_rounds_ = 0;  // here, not in an earlier part
  std::size_t counted_rounds_ = 0;   // in the answer
  std::size_t natural_rounds_ = 0;
  std::size_t last_layout_ = 0;
  bool decided_early_ = false;
  bool noticed_ = false;
  std::vector<std::vector<LayoutFactor>> causes_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

std::vector<CommandAnswer> AnswersOf(const std::vector<TimedRound>& rounds, std::size_t commands,
                                     Unit unit, double detect, double confidence) {
  const auto used = RoundsIn(rounds, unit == Unit::kRound);
  const auto natural = RoundsIn(rounds, true);
  std::vector<CommandAnswer> answers(commands);
  for (std::size_t command = 0; command < commands; ++command) {
    CommandAnswer& answer = answers[command];
    std::vector<double> seconds;
    for (const Round& round : used) seconds.push_back(round.seconds[command]);
    const auto median = stats::MedianInterval(seconds, 0.95);
    if (median) {
      answer.time = *median;
    } else if (seconds.empty()) {
      answer.time = Absent("no runs");
    } else {
      answer.time = Doubtful(Unbounded(stats::Quantile(seconds, 0.5).value_or(seconds.front())),
                             "too few runs for an interval");
    }
    if (const auto outliers = stats::FindOutliers(seconds)) {
      answer.outliers = outliers->indices.size();
    }
    if (command == 0) {
      answer.ratio = Unbounded(1);
      answer.answer = Answer::kEqual;
      continue;
    }
    answer.mean_ratio = MeanRatio(rounds, command);
    const auto ratio = RatioOf(LogRatios(used, command, unit), confidence);
    if (ratio) {
      answer.ratio = *ratio;
      answer.answer = AnswerOf(*ratio, detect);
    } else {
      const auto ratios = LogRatios(used, command, unit);
      const auto centre = stats::Quantile(ratios, 0.5);
      answer.ratio = centre ? Doubtful(Unbounded(std::exp(*centre)), ratio.error().message)
                            : Absent(ratio.error().message);
    }
    if (unit == Unit::kRound) continue;
    answer.layout = LayoutEffectOf(used, command);
    if (const auto single = RatioOf(LogRatios(natural, command, Unit::kRound), 0.95)) {
      answer.natural = *single;
    }
  }
  return answers;
}

Result<CompareReport> CompareCommands(const CompareRequest& request, const Progress& progress) {
  return Comparer(request, progress).Compare();
}

}  // namespace tare::compare
