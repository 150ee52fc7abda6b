// timer.cc: `tare timer`: the cost and resolution of this machine's clocks.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/timer/timer_tables.h"
#include "machine/clock/clock_survey.h"
#include "machine/clock/short_interval.h"
#include "machine/clock/short_measure.h"

namespace tare::cli {
namespace {

struct TimerOptions {
  std::string clock;
  bool brief = false;
  bool short_demonstration = false;
  std::vector<std::int64_t> from_counts;
  std::optional<WrittenDuration> tick;
  std::optional<WrittenDuration> event;
  std::optional<double> confidence;
  std::optional<std::int64_t> core;
  std::optional<std::int64_t> seed;
};

const auto kTimerFlags = std::to_array<Flag<TimerOptions>>({
    {{"--clock", "NAME", "measure this clock only; with --short, the fine clock to use"},
     &TimerOptions::clock},
    {{"--brief", "", "show only cost and resolution"}, &TimerOptions::brief},
    {{"--short", "",
      "time an event shorter than a tick, or of a few, by two methods, and check whether they "
      "agree"},
     &TimerOptions::short_demonstration},
    {{"--from-counts", "M N",
      "compute the duration of an event during which the clock advanced in M of N measurements"},
     &TimerOptions::from_counts},
    {{"--tick", "TIME", "length of the tick for --short (default: 40us) and --from-counts"},
     &TimerOptions::tick},
    {{"--event", "TIME",
      "approximate length of the event with --short, at most 100ms (default: 3us)"},
     &TimerOptions::event},
    {{"--confidence", "P", "confidence level of the intervals (default: 0.95)"},
     &TimerOptions::confidence},
    {{"--core", "N", "measure on this core"}, &TimerOptions::core},
    {{"--seed", "N", "seed of the random delays of --short (default: 1)"}, &TimerOptions::seed},
});

constexpr std::array kTimerExamples = {
    Example{"tare timer",
            "every clock: cost of a reading, overhead, resolution, monotonicity, roll-over"},
    Example{"tare timer --clock monotonic --json", "one clock, as JSON"},
    Example{"tare timer --short", "an event shorter than a tick, measured by two methods"},
    Example{"tare timer --short --event 100us",
            "an event of two and a half ticks: how often a clock reports two or three"},
    Example{"tare timer --from-counts 852 10482 --tick 40us",
            "the duration if the clock advanced in 852 of 10,482 measurements"},
};

Result<void> CheckOptions(const TimerOptions& options) {
  const bool counts = !options.from_counts.empty();
  const auto refuse = [](std::string message) {
    return Fail(ErrorKind::kUsage, std::move(message));
  };
  if (counts && options.short_demonstration) {
    return refuse("--short measures and --from-counts calculates; choose one");
  }
  if (counts && !options.tick)
    return refuse("--from-counts needs the length of the tick, such as --tick 40us");
  if (counts && !options.clock.empty())
    return refuse("--from-counts reads no clock; remove --clock");
  if (options.tick && !counts && !options.short_demonstration) {
    return refuse("--tick requires --short or --from-counts");
  }
  if (options.event && !options.short_demonstration) return refuse("--event requires --short");
  if (options.tick && options.tick->seconds <= 0) return refuse("--tick must be longer than 0");
  if (options.event && options.event->seconds <= 0) return refuse("--event must be longer than 0");
  return {};
}

std::optional<unsigned> Core(const TimerOptions& options) {
  if (!options.core) return std::nullopt;
  return static_cast<unsigned>(std::min<std::int64_t>(*options.core, 1 << 20));
}

Result<std::vector<clock::ClockId>> ChosenClocks(const std::string& name) {
  if (name.empty()) return clock::AvailableClocks();
  TRY(const clock::Clock* clock, clock::FindClock(name));
  TRY_VOID(clock::Availability(*clock));
  return std::vector{clock->id};
}

Result<Outcome> MeasureAll(const TimerOptions& options, double confidence, Session& session) {
  TRY(const auto clocks, ChosenClocks(options.clock));
  clock::CostConfig cost;
  cost.confidence = confidence;
  cost.processor = Core(options);
  TRY(const auto reports,
      clock::MeasureClocks(clocks, cost, clock::OrderConfig{}, session.progress));
  Outcome outcome;
  outcome.details = {"steps", "order"};
  report::Document& document = outcome.document;
  document.title = "Clocks of this machine";
  document.blocks.emplace_back(ClockTable(reports));
  if (!options.brief) {
    document.blocks.emplace_back(LimitTable(reports));
    document.blocks.emplace_back(StepTable(reports));
    document.blocks.emplace_back(OrderTable(reports));
    document.blocks.emplace_back(
        report::Text{"reading",
                     "overhead is T1 + T2, the time between two consecutive "
                     "readings. Intervals as long as \"good from\" are timed well "
                     "(100 times the overhead or the resolution, whichever is "
                     "larger), those of ten times that length even better."});
  }
  document.blocks.emplace_back(ClockAnswer(reports));
  for (const clock::ClockReport& report : reports) AddCaveats(document, report.caveats);
  return outcome;
}

Result<Outcome> FromCounts(const TimerOptions& options, const Tick& tick, double confidence) {
  const auto advanced = static_cast<std::uint64_t>(options.from_counts[0]);
  const auto measurements = static_cast<std::uint64_t>(options.from_counts[1]);
  Outcome outcome;
  outcome.document.title = "An event shorter than a tick, from counts";
  std::vector<CountedRow> rows;
  using enum stats::ProportionMethod;
  for (const auto& [method, name] : {std::pair{kNormal, "normal"}, std::pair{kWilson, "Wilson"}}) {
    TRY(const auto estimate,
        clock::ShortInterval(advanced, measurements, tick.seconds, confidence, method));
    rows.push_back({name, advanced, measurements, estimate});
    AddCaveats(outcome.document, estimate.caveats);
  }
  outcome.document.blocks.emplace_back(ShortTable(rows, tick));
  outcome.document.blocks.emplace_back(CountedAnswer(rows.back()));
  return outcome;
}

Result<clock::ShortConfig> ShortSettings(const TimerOptions& options, double confidence) {
  clock::ShortConfig config;
  config.confidence = confidence;
  config.processor = Core(options);
  if (options.seed) config.seed = static_cast<std::uint64_t>(*options.seed);
  if (options.tick) config.tick_seconds = options.tick->seconds;
  if (options.event) config.event_seconds = options.event->seconds;
  if (!options.clock.empty()) {
    TRY(const auto clocks, ChosenClocks(options.clock));
    config.fine = clocks.front();
  }
  return config;
}

Result<Outcome> DemonstrateShort(const TimerOptions& options, double confidence, Session& session) {
  TRY(const auto config, ShortSettings(options, confidence));
  TRY(const auto measured, clock::MeasureShort(config, session.progress));
  const Tick tick = {config.tick_seconds, options.tick ? options.tick->unit : "us"};
  Outcome outcome;
  const bool is_short = config.event_seconds < config.tick_seconds;
  outcome.document.title = fmt::format("An event {}, measured by two methods",
                                       is_short ? "shorter than a tick" : "of one tick or more");
  outcome.document.provenance.seed = config.seed;
  outcome.document.blocks.emplace_back(ShortTable(measured, tick));
  outcome.document.blocks.emplace_back(AgreementTable(measured, tick));
  outcome.document.blocks.emplace_back(QuantizationTable(measured, tick));
  outcome.document.blocks.emplace_back(ShortAnswer(measured));
  AddCaveats(outcome.document, measured.caveats);
  return outcome;
}

Result<Outcome> RunTimer(const TimerOptions& options, Session& session) {
  TRY_VOID(CheckOptions(options));
  TRY(const double confidence, Confidence(options.confidence));
  if (!options.from_counts.empty() && options.tick) {
    return FromCounts(options, {options.tick->seconds, options.tick->unit}, confidence);
  }
  if (options.short_demonstration) return DemonstrateShort(options, confidence, session);
  return MeasureAll(options, confidence, session);
}

}  // namespace

Command TimerCommand() {
  return MakeCommand<TimerOptions>(
      {"timer",
       "measure cost, resolution and roll-over of clocks, and intervals shorter than a tick",
       "Measures every clock of this machine: the cost of a reading, the overhead that two "
       "readings "
       "add to an interval, the steps in which the clock advances, whether it ever goes "
       "backwards, when it rolls over, and how long an interval must be to be timed well.\n\n"
       "An event shorter than a tick can still be timed: its mean duration is the share of "
       "measurements in which the clock advances, times the tick. --short demonstrates this on a "
       "known loop and checks it by another method; --from-counts does the calculation for your "
       "own counts.",
       kTimerExamples},
      kTimerFlags, RunTimer);
}

}  // namespace tare::cli
