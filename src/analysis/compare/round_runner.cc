// round_runner.cc: rounds of runs, and the checks that the commands do the same in each.
#include "analysis/compare/round_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/compare/shell_command.h"
#include "base/grouped.h"
#include "base/printable.h"
#include "base/signal_text.h"
#include "machine/host/conditions.h"
#include "machine/pmu/event_probe.h"
#include "stats/shuffle.h"

namespace tare::compare {
namespace {

std::string EndText(const run::Ended& ended) {
  switch (ended.how) {
    case run::Ended::How::kTimedOut:
      return "does not end within the timeout";
    case run::Ended::How::kSignalled:
      return "is killed by " + SignalText(ended.signal);
    case run::Ended::How::kExited:
      break;
  }
  return fmt::format("exits with status {}", ended.exit_status);
}

ErrorKind KindOf(const run::Ended& ended) {
  return ended.how == run::Ended::How::kTimedOut ? ErrorKind::kTimedOut : ErrorKind::kUnsupported;
}

bool EndsAlike(const run::Ended& a, const run::Ended& b) {
  return a.how == b.how && a.ShellStatus() == b.ShellStatus();
}

bool NamesParentDirectory(const run::ResolvedProgram& program) {
  return std::ranges::any_of(program.arguments,
                             [](const std::string& argument) { return argument.contains(".."); });
}

}  // namespace

RoundRunner::RoundRunner(RunPlan plan) : plan_(std::move(plan)), generator_(plan_.order_seed) {
  order_.resize(plan_.commands.size());
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  for (const ComparedCommand& command : plan_.commands) {
    argument_bytes_.push_back(ArgumentBytes(command.programs.front()));
    max_argument_bytes_ = std::max(max_argument_bytes_, argument_bytes_.back());
    if (NamesParentDirectory(command.programs.front())) plan_.variation.directory = false;
  }
  first_.resize(plan_.commands.size());
  if (!plan_.events.empty()) permissions_ = pmu::PermissionsOf(host::ReadConditions({}, {}));
}

void RoundRunner::Warn(CaveatId id, std::string detail) {
  const Caveat caveat{id, std::move(detail)};
  if (std::ranges::find(caveats_, caveat) == caveats_.end()) caveats_.push_back(caveat);
}

Result<run::Finished> RoundRunner::Run(std::size_t command, const RunLayout& layout, bool captured,
                                       std::vector<pmu::ProgramCount>* counts) {
  if (!plan_.prepare.empty()) {
    TRY_VOID(RunShell({"--prepare", plan_.prepare}, plan_.interrupted));
  }
  const ComparedCommand& compared = plan_.commands[command];
  TRY(auto setting,
      InLayout(compared.timed, layout, argument_bytes_[command], max_argument_bytes_));
  setting.layout.stop_at_start = plan_.variation.memory;
  setting.output = captured ? run::Output::kCaptured : run::Output::kDiscarded;
  setting.errors = run::Output::kDiscarded;
  run::Hooks hooks;
  hooks.interrupted = plan_.interrupted;
  hooks.standing = &standing_;
  std::optional<pmu::ProgramEvents> events;
  if (counts != nullptr && !plan_.events.empty()) {
    hooks.before_exec = [&](pid_t process) -> Result<void> {
      pmu::ProgramEventPlan event_plan;
      event_plan.events = plan_.events;
      event_plan.children = true;
      TRY(auto opened, pmu::ProgramEvents::Attach(process, event_plan, permissions_));
      events.emplace(std::move(opened));
      return {};
    };
  }
  const std::size_t build = std::min(layout.build, compared.programs.size() - 1);
  TRY(auto finished, run::RunProgram(compared.programs[build], setting, hooks));
  if (finished.ended.interrupted) return Stopped();
  if (events) *counts = events->Read();
  return finished;
}

Result<void> RoundRunner::RequireSuccess(std::size_t command, const run::Ended& ended) {
  const std::string& label = plan_.commands[command].label;
  if (ended.how == run::Ended::How::kExited && ended.exit_status == 0) return {};
  if (plan_.ignore_failure) {
    Warn(CaveatId::kCommandFails, fmt::format("'{}' {}", Printable(label), EndText(ended)));
    return {};
  }
  return Fail(KindOf(ended),
              fmt::format("'{}' {}; correct it, or compare it anyway with --ignore-failure",
                          Printable(label), EndText(ended)));
}

Result<void> RoundRunner::TryLayout(std::size_t command, const RunLayout& layout, bool& works) {
  auto finished = Run(command, layout, true);
  works = finished && EndsAlike(finished->ended, first_[command].ended) &&
          finished->output == first_[command].output;
  if (!finished && finished.error().kind == ErrorKind::kInterrupted) {
    return std::unexpected(finished.error());
  }
  return {};
}

Result<double> RoundRunner::TryCommands(bool vary) {
  if (!vary) plan_.variation.directory = false;
  if (const auto can = run::CanMoveLayout(); !can) {
    plan_.variation.memory = false;
    if (vary) Warn(CaveatId::kLayoutNotVaried, can.error().message);
  }
  if (plan_.variation.directory && !run::CanLengthenDirectory()) {
    plan_.variation.directory = false;
  }
  double seconds = 0;
  const std::size_t commands = plan_.commands.size();
  for (std::size_t command = 0; command < commands; ++command) {
    TRY(auto finished, Run(command, MakeLayout(0, plan_.variation, plan_.seed), true));
    TRY_VOID(RequireSuccess(command, finished.ended));
    seconds += finished.wall_seconds;
    first_[command] = {finished.ended, std::move(finished.output)};
  }
  const auto differs = std::ranges::find_if(
      first_, [this](const FirstRun& run) { return run.output != first_.front().output; });
  if (differs != first_.end()) {
    const auto which = static_cast<std::size_t>(differs - first_.begin());
    Warn(CaveatId::kOutputsDiffer,
         fmt::format("'{}' prints {} bytes, '{}' {} bytes", Printable(plan_.commands.front().label),
                     Grouped(first_.front().output.size()), Printable(plan_.commands[which].label),
                     Grouped(differs->output.size())));
  }
  if (!vary) return seconds;
  for (std::size_t command = 0; command < commands; ++command) {
    bool works = false;
    TRY_VOID(TryLayout(command, MakeLayout(1, plan_.variation, plan_.seed), works));
    if (works) continue;
    // The same layout as the first run shows whether the layout is the reason.
    bool repeats = false;
    TRY_VOID(TryLayout(command, MakeLayout(0, plan_.variation, plan_.seed), repeats));
    const std::string label = Printable(plan_.commands[command].label);
    if (!repeats) {
      outputs_stated_ = true;
      Warn(CaveatId::kOutputVaries, fmt::format("'{}'", label));
      auto run = Run(command, MakeLayout(1, plan_.variation, plan_.seed), false);
      if (run && EndsAlike(run->ended, first_[command].ended)) continue;
    }
    if (plan_.variation.directory) {
      plan_.variation.directory = false;
      TRY_VOID(TryLayout(command, MakeLayout(1, plan_.variation, plan_.seed), works));
      if (works) continue;
    }
    if (plan_.variation.memory && !works && repeats) {
      Warn(CaveatId::kLayoutNotVaried,
           fmt::format("'{}' prints something else or fails when its memory is moved", label));
      plan_.variation.memory = false;
    }
  }
  return seconds;
}

Result<TimedRound> RoundRunner::RunOnce(const RunLayout& layout, bool reversed) {
  if (reversed) {
    std::ranges::reverse(order_);
  } else {
    stats::Shuffle(order_, generator_);
  }
  TimedRound timed;
  timed.order = order_;
  timed.round.layout = layout.number;
  timed.round.build = layout.build;
  timed.round.seconds.resize(order_.size());
  timed.use.resize(order_.size());
  timed.events.resize(order_.size());
  for (const std::size_t command : order_) {
    TRY(const auto finished, Run(command, layout, false, &timed.events[command]));
    const run::Ended& expected = first_[command].ended;
    if (!EndsAlike(finished.ended, expected)) {
      if (!plan_.ignore_failure) {
        return Fail(KindOf(finished.ended),
                    fmt::format("'{}' {} this time, but its first run {}; correct it, or compare "
                                "it anyway with --ignore-failure",
                                Printable(plan_.commands[command].label), EndText(finished.ended),
                                EndText(expected)));
      }
      Warn(CaveatId::kExitStatusVaries,
           fmt::format("'{}'", Printable(plan_.commands[command].label)));
    }
    for (const Caveat& caveat : finished.caveats) Warn(caveat.key, caveat.detail);
    timed.round.seconds[command] = std::max(finished.wall_seconds, 1e-9);
    timed.use[command] = finished.use;
  }
  return timed;
}

Result<void> RoundRunner::CheckOutputs() {
  if (outputs_stated_) return {};
  for (std::size_t command = 0; command < plan_.commands.size(); ++command) {
    TRY(const auto finished, Run(command, MakeLayout(0, plan_.variation, plan_.seed), true));
    if (finished.output == first_[command].output) continue;
    Warn(CaveatId::kOutputVaries, fmt::format("'{}'", Printable(plan_.commands[command].label)));
  }
  return {};
}

}  // namespace tare::compare
