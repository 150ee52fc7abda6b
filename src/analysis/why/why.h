// why.h: where differences in a program's counts and times come from.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/why/run_conditions.h"
#include "analysis/why/run_design.h"
#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"
#include "machine/host/engine_files.h"
#include "measure/count/count_program.h"

namespace tare::why {

enum class Response { kCounts, kTime };

struct WhyRequest {
  run::ResolvedProgram program;
  run::Setting setting;
  std::vector<Response> responses = {Response::kCounts, Response::kTime};
  std::optional<engine::Engine> engine =
      engine::Engine::kValgrind;  // absent: the processor's counter
  std::string region = "main";    // empty: the loader's work too
  bool children = false;
  std::optional<std::filesystem::path> other_linking;
  std::vector<std::string> objects;
  std::vector<std::string> linker;
  // All runs together, in seconds; without it a hundred times the program's own time, and a minute
  // at least.
  std::optional<double> budget_seconds;
  std::optional<double> engine_seconds;  // the limit of an engine's run; see engine::LimitOf
  double alpha = 0.05;
  // The smallest change that is called a cause, as a fraction of the held response: one below it is
  // listed and brings no advice.
  double min_effect = 0.001;
  std::uint64_t seed = 1;
  std::function<bool()> interrupted;
};

// Why the response varies with everything held.
struct Suspect {
  Factor factor;
  std::string evidence;
};

// The response at rising sizes of the environment, or offsets of the heap.
struct Sweep {
  Factor factor = Factor::kStack;  // kHeap: offsets of the heap
  std::vector<double> bytes;
  std::vector<double> response;
  std::optional<std::size_t> period;  // bytes after which the response repeats
};

struct Answer {
  Response response = Response::kCounts;
  std::string source;  // "valgrind"
  Findings findings;
  std::vector<Absence> absences;  // what could not be varied, and why
  std::vector<Suspect> suspects;  // when nothing varies with all held: none
  std::optional<Sweep> sweep;
};

struct Unanswered {
  Response response;
  std::string reason;
};

// What the surroundings were held at; what `--fix` says.
struct Held {
  std::size_t environment_bytes = 0;
  std::size_t argv0_length = 0;
  std::optional<std::size_t> cwd_length;
  std::optional<pid_t> process_id;
  std::optional<unsigned> core;  // the one that it was tried on
};

struct WhyReport {
  run::Finished first;           // on its own, out of control, with its output passed on
  run::Setting setting;          // what all others start from
  bool control_dropped = false;  // it is not the one that was asked for
  std::vector<Answer> answers;
  std::vector<Unanswered> unanswered;  // what could not be measured here, beside what could
  Held held;
  double budget_seconds = 0;
  double spent_seconds = 0;
  std::vector<Caveat> caveats;
};

// `images` must outlive the report.
Result<WhyReport> FindWhy(const WhyRequest& request, const host::EngineFiles& files,
                          count::Images& images, const Progress& progress);

// The period of a response sampled every `step` bytes: the smallest power of two of steps that fits
// the whole, if one fits twice. None for a constant response.
std::optional<std::size_t> PeriodOf(const std::vector<double>& response, std::size_t step);

}  // namespace tare::why
