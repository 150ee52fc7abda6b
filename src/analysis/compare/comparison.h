// comparison.h: compares commands by their times over memory layouts and by exact counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/compare/answer.h"
#include "analysis/compare/command_counts.h"
#include "analysis/compare/round_runner.h"
#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"

namespace tare::compare {

struct CompareRequest {
  RunPlan plan;  // with a control, its last command is the first one again
  bool has_control = false;
  bool times = true;
  bool counts = true;
  bool fixed_layout = false;
  double detect = 0.01;  // relative difference that matters
  double confidence = 0.95;
  // For the timed runs. Default: 125 times a round of runs, at least 2 s and at most 1 min.
  std::optional<double> budget_seconds;
  std::optional<std::size_t> runs;  // of each command, instead of as many as `detect` needs
  std::size_t warm_up_rounds = 0;
  std::string setup;  // shell commands; empty: none
  std::string cleanup;
  std::vector<TimedRound> earlier;  // of an interrupted comparison
  // Counts of one command whose times are in `earlier`; otherwise it is counted here.
  CountPlan count;
  std::function<void(std::string_view)> notice;
};

// One command against the first.
struct CommandAnswer {
  Measured time;  // median, seconds
  Measured ratio;
  Answer answer = Answer::kUndecided;
  std::optional<LayoutEffect> layout;
  std::optional<Measured> natural;  // the ratio in the natural layout
  bool natural_differs = false;     // from that over layouts
  // What the layouts differ in that changes the ratio, largest first; empty if nothing was found.
  std::vector<LayoutFactor> causes;
  std::size_t outliers = 0;
  double mean_ratio = 1;
};

struct CompareReport {
  std::vector<std::string> labels;
  std::vector<TimedRound> rounds;
  std::vector<CommandAnswer> answers;  // by command; empty if nothing was timed
  std::vector<CommandCounts> counts;   // by command, without the control; empty: not counted
  std::size_t layouts = 0;             // without the natural one
  std::size_t builds = 1;
  std::size_t rounds_per_layout = 2;
  double budget_seconds = 0;
  double spent_seconds = 0;
  double units_wanted = 0;  // layouts (or rounds) that `detect` needs
  bool interrupted = false;
  std::vector<Caveat> caveats;
  std::vector<Caveat> disturbances;  // by other programs
};

// A comparison that the user interrupts, or whose command fails after some rounds, is a report of
// what was measured, with `interrupted` or an error respectively.
Result<CompareReport> CompareCommands(const CompareRequest& request, const Progress& progress);

// Answers from rounds alone: for stored samples.
std::vector<CommandAnswer> AnswersOf(const std::vector<TimedRound>& rounds, std::size_t commands,
                                     Unit unit, double detect, double confidence);

}  // namespace tare::compare
