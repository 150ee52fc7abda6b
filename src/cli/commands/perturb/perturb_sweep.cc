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

const std::vector<Flag<SweepOptions>> kFlags = WithTrialFlags<SweepOptions>({
    {{"--random-orders", "N", "add them in so many random orders, too, 0 to 100 (0)"},
     &SweepOptions::random_orders},
    {{"--alone", "", "count each by itself, too"}, &SweepOptions::alone},
    {{"--control", "N", "judge so many runs with nothing added, too, 0 to 1000 (0)"},
     &SweepOptions::control},
    {{"--seed", "N", "of the random orders (1)"}, &SweepOptions::seed},
});

constexpr std::array kExamples = {
    Example{"tare perturb sweep --build 'make clean all CC=tare-cc' --metrics metrics.toml --vary "
            "-- ./program input",
            "correlations against the instructions that counting adds"},
    Example{"tare perturb sweep --build ./build.sh --metrics metrics.toml --vary --random-orders 3 "
            "--alone --json -- ./program input",
            "in other orders, and each by itself; all figures for a plotting program"},
};

Result<Outcome> Run(const SweepOptions& options, Session& session) {
  perturb::SweepOptions how;
  TRY(const auto random,
      Between<std::int64_t>(options.random_orders, 0, 0, 100, "--random-orders"));
  TRY(const auto controls, Between<std::int64_t>(options.control, 0, 0, 1000, "--control"));
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
  outcome.document.title = fmt::format("Perturbation of {} by more and more metrics",
                                       Printable(session.program.front()));
  AddSweep(ready.trials, orders, judging.how, session.machine_readable, outcome.document);
  AddCaveats(outcome.document, ready.trials.Caveats());
  AddSettings(outcome.document, ready.setting);
  return outcome;
}

}  // namespace

Command PerturbSweepCommand() {
  return MakeCommand<SweepOptions>(
      {"perturb sweep", "what adding software metrics one by one does to all others",
       "Builds the program with nothing to count and takes a baseline; then with one software "
       "metric, with two, and so on, each time one run, which is judged against the baseline. "
       "Shows every correlation against the instructions that counting has added, where they "
       "changed most, and the signals around that change.\n\n"
       "The build is a command for a shell that makes PROGRAM anew by tare-cc. What it shall count "
       "stands in the variables TARE_METRICS and TARE_ONLY, which tare-cc knows. Runs are of a "
       "copy of what it made.",
       kExamples, true},
      kFlags, Run);
}

}  // namespace tare::cli
