// perturb_sweep.cc: `tare perturb sweep`: adds software metrics one by one, or shortens the
// sampling interval.
#include <fmt/format.h>

#include <array>

#include "analysis/perturb/metric_sweep.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/perturb/perturb_intervals.h"
#include "cli/commands/perturb/perturb_method_tables.h"
#include "cli/commands/perturb/perturb_options.h"
#include "cli/commands/perturb/perturb_sweep_tables.h"

namespace tare::cli {
namespace {

// Other samplers than those of a baseline have intervals.
constexpr std::array<std::string_view, 4> kSweepSamplers = {"instructions", "observer", "profiler",
                                                            "signal"};

std::vector<Flag<SweepOptions>> SweepFlags(std::vector<Flag<SweepOptions>> own) {
  auto flags = WithTrialFlags<SweepOptions>(std::move(own));
  for (Flag<SweepOptions>& flag : flags) {
    if (flag.text.names == "--sampler") {
      flag.text.choices = kSweepSamplers;
      flag.text.help =
          "instructions: under the virtual PMU, without a clock; observer: kernel and hardware "
          "metrics over time (default: instructions). With --intervals: profiler, observer or "
          "signal (default: profiler)";
    }
    if (flag.text.names == "--runs") {
      flag.text.help =
          "runs of the baseline, 3 to 64 (default: 26); with --intervals: runs without sampling "
          "and at each interval (default: 12)";
    }
  }
  return flags;
}

const std::vector<Flag<SweepOptions>> kPerturbSweepFlags = SweepFlags({
    {{"--intervals", "[LIST]",
      "instead of adding metrics, sample at these intervals, such as 10ms,1ms,100us, and find "
      "where sampling starts to perturb (default: 10ms to 20us)"},
     &SweepOptions::intervals},
    {{"--detect", "PERCENT",
      "with --intervals: smallest increase of the time that counts (default: 1%)"},
     &SweepOptions::detect},
    {{"--random-orders", "N", "also add the metrics in N random orders, 0 to 100 (default: 0)"},
     &SweepOptions::random_orders},
    {{"--alone", "", "also count each metric alone"}, &SweepOptions::alone},
    {{"--control", "N", "also test N runs with nothing added, 0 to 1000 (default: 0)"},
     &SweepOptions::control},
    {{"--method", "WHICH", kMethodHelp, kPerturbMethods}, &SweepOptions::method},
    {{"--seed", "N", "seed of the random orders (default: 1)"}, &SweepOptions::seed},
});

constexpr std::array kPerturbSweepExamples = {
    Example{"tare perturb sweep --build 'make clean all CC=tare-cc' --metrics metrics.toml --vary "
            "-- ./program input",
            "correlations by the instructions that counting adds"},
    Example{"tare perturb sweep --build ./build.sh --metrics metrics.toml --vary --random-orders 3 "
            "--alone --json -- ./program input",
            "also in other orders and each metric alone; all values as JSON"},
    Example{"tare perturb sweep --intervals 10ms,1ms,100us,50us -- ./program input",
            "what sampling at these intervals costs the program"},
};

std::vector<JudgedTwice> EachTwice(const std::vector<perturb::SweepOrder>& orders,
                                   const DocumentJudgements& judged) {
  std::vector<JudgedTwice> twice;
  for (const perturb::SweepOrder& order : orders) {
    for (std::size_t point = 0; point < order.points.size(); ++point) {
      const perturb::Trial* const trial = order.points[point];
      const std::string added =
          order.IsControl() ? fmt::format("{}", point + 1) : Printable(order.metrics[point]);
      twice.push_back(
          {fmt::format("{}: {}", order.name, added), &trial->judgement, judged.at(trial)});
    }
  }
  return twice;
}

Result<Outcome> RunPerturbSweep(const SweepOptions& given, Session& session) {
  if (!given.intervals.empty()) return SweepIntervals(given, session);
  SweepOptions options = given;
  if (options.sampler.empty()) options.sampler = "instructions";
  if (options.sampler == "profiler" || options.sampler == "signal") {
    return Fail(ErrorKind::kUsage,
                fmt::format("--sampler {} requires --intervals", options.sampler));
  }
  if (!options.detect.empty()) return Fail(ErrorKind::kUsage, "--detect requires --intervals");
  perturb::SweepOptions how;
  TRY(const auto random,
      InRange<std::int64_t>(options.random_orders, 0, 0, 100, "--random-orders"));
  TRY(const auto controls, InRange<std::int64_t>(options.control, 0, 0, 1000, "--control"));
  how.random_orders = static_cast<std::size_t>(random);
  how.controls = static_cast<std::size_t>(controls);
  how.alone = options.alone;
  how.seed = static_cast<std::uint64_t>(options.seed.value_or(1));
  TRY(const Judging judging, JudgingOf(options));
  TRY(auto ready, BeginTrials(options, session, "perturb sweep"));
  auto orders = perturb::MakeOrders(ready.metrics, how);
  const Progress progress = PartOf(session.progress, kBaselineShare, 1);
  TRY_VOID(perturb::RunOrders(ready.trials, orders, progress));

  return MakeOutcome(session, [&](bool all) -> Result<Outcome> {
    Outcome outcome;
    outcome.beside_program = true;
    outcome.exit_status = ready.trials.ExitStatus();
    outcome.document.title =
        fmt::format("Perturbation of {} by added metrics", Printable(session.program.front()));
    AddSweep(ready.trials, orders, judging.how, all, outcome);
    if (options.method == "document") {
      TRY(const auto judged, JudgeTrials(ready.trials, orders, judging.align));
      AddMethods(EachTwice(orders, judged), true, outcome);
    }
    AddCaveats(outcome.document, ready.trials.Caveats());
    outcome.sources = SourcesOf(ready.trials.Stored().runs.front());
    AddSettings(outcome.document, ready.setting);
    return outcome;
  });
}

}  // namespace

Command PerturbSweepCommand() {
  return MakeCommand<SweepOptions>(
      {"perturb sweep", "show how added metrics or shorter intervals change a program",
       "Builds the program without software metrics and records a baseline, then builds it with "
       "one metric, with two, and so on. Each build is run once, and the run is compared with the "
       "baseline. Shows every correlation by the instructions that counting adds, where the "
       "correlations changed most, and the signals around that change.\n\n"
       "The build is a shell command that rebuilds PROGRAM with tare-cc. The environment "
       "variables TARE_METRICS and TARE_ONLY tell tare-cc what to count. Runs use a copy of the "
       "built program.\n\n"
       "With --intervals, nothing is built. The program runs without sampling and at each "
       "interval, "
       "in random order, and the result shows how much more processor time and elapsed time it "
       "takes, what a sample costs, and the longest interval that perturbs.",
       kPerturbSweepExamples, true},
      kPerturbSweepFlags, RunPerturbSweep);
}

}  // namespace tare::cli
