// command_counts.h: exact counts of each command, and which functions their difference comes from.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/measured.h"
#include "base/progress.h"
#include "base/result.h"
#include "measure/count/count_program.h"

namespace tare::compare {

struct CountPlan {
  host::EngineFiles files;
  count::Images* images = nullptr;            // outlives the counts
  std::optional<engine::Engine> engine;       // absent: the cheapest that can run here
  std::optional<model::Processor> processor;  // also count events of this processor
  std::optional<double> engine_seconds;
  bool twice = false;  // count twice, to see whether the counts repeat
  StopAsked interrupted;
};

struct MetricValue {
  std::string metric;  // "instructions"
  std::string unit;
  std::string source;  // "qemu", "kernel"
  Measured value;
};

// Instructions of one function; static functions of the same name are added up.
struct FunctionCount {
  std::string function;
  std::uint64_t instructions = 0;
};

struct CommandCounts {
  std::vector<MetricValue> metrics;
  std::vector<FunctionCount> functions;  // by name
  std::string absence;                   // why there are no exact counts
  std::vector<Caveat> caveats;

  const MetricValue* Find(std::string_view metric) const;
};

// Counts one command. An engine that cannot run here, or a program that it does not support, is an
// absence; fails only if the user interrupts.
Result<CommandCounts> CountCommand(const run::ResolvedProgram& program, const run::Setting& setting,
                                   double native_seconds, const CountPlan& plan,
                                   const Progress& progress);

// A function and how many more instructions it executes than in the first command.
struct FunctionDifference {
  std::string function;
  std::int64_t first = 0;
  std::int64_t second = 0;
  std::int64_t Difference() const { return second - first; }
};

// Largest absolute difference first; functions without difference are left out.
std::vector<FunctionDifference> DifferencesOf(const CommandCounts& first,
                                              const CommandCounts& second);

}  // namespace tare::compare
