// round_runner.h: runs all commands once in a layout, checks how they end, and keeps their times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/compare/answer.h"
#include "analysis/compare/run_layout.h"
#include "base/caveat.h"
#include "base/result.h"
#include "base/stop.h"
#include "machine/pmu/program_events.h"
#include "measure/run/process.h"
#include "measure/run/standing_supervisor.h"
#include "stats/random.h"

namespace tare::compare {

struct ComparedCommand {
  std::string label;
  // One for each build: the same program with its code at other addresses.
  std::vector<run::ResolvedProgram> programs;
  run::Setting timed;    // natural: nothing is added to the environment, nothing is moved
  run::Setting counted;  // controlled, for exact counts
};

struct RunPlan {
  std::vector<ComparedCommand> commands;
  Variation variation;
  std::string prepare;                    // shell command before each run; empty: none
  bool ignore_failure = false;            // compare commands that fail
  std::vector<pmu::ProgramEvent> events;  // counted in every timed run
  std::uint64_t seed = 1;                 // of the layouts
  std::uint64_t order_seed = 1;           // of the orders of the commands
  StopAsked interrupted;
};

// Everything of a round that is shown.
struct TimedRound {
  Round round;
  std::vector<std::size_t> order;                    // of the commands
  std::vector<std::optional<run::ResourceUse>> use;  // absent for stored runs
  // By command, in the order of RunPlan::events; empty for stored runs.
  std::vector<std::vector<pmu::ProgramCount>> events;
};

class RoundRunner {
 public:
  explicit RoundRunner(RunPlan plan);

  // Runs each command in its natural layout and, if layouts are to be varied, in a varied one, and
  // leaves out of the variation what changes the exit status or the output. Fails if a command
  // fails. Returns the seconds of one round.
  Result<double> TryCommands(bool vary);

  // One run of each command, in random order. `reversed` uses the reverse of the last order.
  Result<TimedRound> RunOnce(const RunLayout& layout, bool reversed);

  // Compares the output of each command with that of its first run.
  Result<void> CheckOutputs();

  // Ends the supervisor, so that the processor time of the runs is known to be that of this
  // process.
  void EndSupervisor() { standing_.End(); }

  const Variation& Varied() const { return plan_.variation; }
  const RunPlan& Plan() const { return plan_; }
  const std::vector<Caveat>& Caveats() const { return caveats_; }

 private:
  // `counts`: where the counts of RunPlan::events go; null: they are not counted.
  Result<run::Finished> Run(std::size_t command, const RunLayout& layout, bool captured,
                            std::vector<pmu::ProgramCount>* counts = nullptr);
  Result<void> RequireSuccess(std::size_t command, const run::Ended& ended);
  Result<void> TryLayout(std::size_t command, const RunLayout& layout, bool& works);
  void Warn(CaveatId id, std::string detail);

  run::StandingSupervisor standing_;

  struct FirstRun {
    run::Ended ended;
    std::string output;
  };

  RunPlan plan_;
  pmu::Permissions permissions_;
  stats::Generator generator_;
  std::vector<std::size_t> order_;
  std::vector<FirstRun> first_;
  bool outputs_stated_ = false;
  std::vector<std::size_t> argument_bytes_;
  std::size_t max_argument_bytes_ = 0;
  std::vector<Caveat> caveats_;
};

}  // namespace tare::compare
