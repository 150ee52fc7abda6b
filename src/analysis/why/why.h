// why.h: finds the causes of differences in a program's counts and times.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/why/run_conditions.h"
#include "analysis/why/run_design.h"
#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/stop.h"
#include "machine/host/engine_files.h"
#include "measure/count/count_program.h"

namespace tare::why {

enum class Response { kCounts, kTime };

struct WhyRequest {
  run::ResolvedProgram program;
  run::Setting setting;
  std::vector<Response> responses = {Response::kCounts, Response::kTime};
  std::optional<engine::Engine> engine = engine::Engine::kValgrind;  // absent: the hardware counter
  std::string region = "main";  // empty: everything, including the loader
  bool children = false;
  std::optional<std::filesystem::path> other_linking;
  std::vector<std::string> objects;
  std::vector<std::string> linker;
  // Budget for all runs, in seconds. Default: a hundred times the native time, and at least a
  // minute.
  std::optional<double> budget_seconds;
  std::optional<double> engine_seconds;  // limit of one run under an engine; see engine::LimitOf
  double alpha = 0.05;
  // The smallest change that counts as a cause, as a fraction of the response with all factors
  // fixed. Smaller ones are listed without advice.
  double min_effect = 0.001;
  std::uint64_t seed = 1;
  StopAsked interrupted;
};

// A possible reason why the response varies with all factors fixed.
struct Suspect {
  Factor factor;
  std::string evidence;
};

// The response at increasing environment sizes or heap offsets.
struct Sweep {
  Factor factor = Factor::kStack;  // kHeap: heap offsets; otherwise environment sizes
  std::vector<double> bytes;
  std::vector<double> response;
  std::optional<std::size_t> period;  // in bytes; absent: not periodic
};

struct Answer {
  Response response = Response::kCounts;
  std::string source;  // for example "valgrind"
  Findings findings;
  std::vector<Absence> absences;  // factors that could not be varied, with the reason
  std::vector<Suspect> suspects;  // empty if nothing varies with all factors fixed
  std::optional<Sweep> sweep;
  double wanted_seconds = 0;  // what the next step would have taken, if the budget was too short
};

struct Unanswered {
  Response response;
  std::string reason;
};

// The values at which the setup was fixed, as `--fix` reports them.
struct FixedValues {
  std::size_t environment_bytes = 0;
  std::size_t argv0_length = 0;
  std::optional<std::size_t> cwd_length;
  std::optional<pid_t> process_id;
  std::optional<unsigned> core;  // the one that was tried
};

struct WhyReport {
  run::Finished first;   // native run outside the controlled setup, with its output passed on
  run::Setting setting;  // common base of all other runs
  bool control_dropped = false;  // `setting` differs from the requested one
  std::vector<Answer> answers;
  std::vector<Unanswered> unanswered;  // responses that could not be measured here
  FixedValues fixed;
  double budget_seconds = 0;
  double spent_seconds = 0;
  std::vector<Caveat> caveats;
};

// `images` must outlive the report.
Result<WhyReport> FindWhy(const WhyRequest& request, const host::EngineFiles& files,
                          count::Images& images, const Progress& progress);

// The period, in bytes, of a response sampled every `step` bytes: the smallest power of two of
// steps that fits the whole response at least twice. Absent for a constant response.
std::optional<std::size_t> PeriodOf(const std::vector<double>& response, std::size_t step);

}  // namespace tare::why
