// perturb_sweep.cc: `tare perturb sweep`: adds software metrics one by one.
#include <fmt/format.h>

#include <array>

#include "analysis/perturb/metric_sweep.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/perturb/perturb_options.h"
#include "cli/commands/perturb/perturb_sweep_tables.h"

namespace tare::cli {
namespace {

struct SweepOptions : TrialOptions {
  std::optional<std::int64_t> random_orders;
  std::optional<std::int64_t> control;
  std::optional<std::int64_t> seed;
  bool alone = false;
};

const std::vector<Flag<SweepOptions>> kPerturbSweepFlags = WithTrialFlags<SweepOptions>({
    {{"--random-orders", "N", "also add the metrics in N random orders, 0 to 100 (default: 0)"},
     &SweepOptions::random_orders},
    {{"--alone", "", "also count each metric alone"}, &SweepOptions::alone},
    {{"--control", "N", "also test N runs with nothing added, 0 to 1000 (default: 0)"},
     &SweepOptions::control},
    {{"--seed", "N", "seed of the random orders (default: 1)"}, &SweepOptions::seed},
});

constexpr std::array kPerturbSweepExamples = {
    Example{"tare perturb sweep --build 'make clean all CC=tare-cc' --metrics metrics.toml --vary "
            "-- ./program input",
            "correlations by the instructions that counting adds"},
    Example{"tare perturb sweep --build ./build.sh --metrics metrics.toml --vary --random-orders 3 "
            "--alone --json -- ./program input",
            "also in other orders and each metric alone; all values as JSON"},
};

Result<Outcome> RunPerturbSweep(const SweepOptions& options, Session& session) {
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

  Outcome outcome;
  outcome.beside_program = true;
  outcome.exit_status = ready.trials.ExitStatus();
  outcome.document.title =
      fmt::format("Perturbation of {} by added metrics", Printable(session.program.front()));
  AddSweep(ready.trials, orders, judging.how, session.machine_readable, outcome);
  AddCaveats(outcome.document, ready.trials.Caveats());
  AddSettings(outcome.document, ready.setting);
  return outcome;
}

}  // namespace

Command PerturbSweepCommand() {
  return MakeCommand<SweepOptions>(
      {"perturb sweep", "show how adding software metrics one by one changes all others",
       "Builds the program without software metrics and records a baseline, then builds it with "
       "one metric, with two, and so on. Each build is run once, and the run is compared with the "
       "baseline. Shows every correlation by the instructions that counting adds, where the "
       "correlations changed most, and the signals around that change.\n\n"
       "The build is a shell command that rebuilds PROGRAM with tare-cc. The environment "
       "variables TARE_METRICS and TARE_ONLY tell tare-cc what to count. Runs use a copy of the "
       "built program.",
       kPerturbSweepExamples, true},
      kPerturbSweepFlags, RunPerturbSweep);
}

}  // namespace tare::cli
