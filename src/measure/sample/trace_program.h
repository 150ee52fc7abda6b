// trace_program.h: runs a program once and records its vertical trace.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "base/stop.h"
#include "format/series.h"
#include "machine/host/engine_files.h"
#include "machine/pmu/program_events.h"
#include "measure/run/process.h"
#include "measure/sample/metric_selection.h"
#include "measure/sample/pace.h"
#include "model/core/processor.h"

namespace tare::sample {

enum class Sampler {
  kObserver,      // reads from outside; the program never stops
  kSignal,        // a timer inside the program, which must be built by tare-cc
  kInstructions,  // every so many instructions under the virtual engine; reads no clock
};

std::string_view Name(Sampler sampler);

struct TraceRequest {
  run::ResolvedProgram program;
  run::Setting setting;
  Sampler sampler = Sampler::kObserver;
  PaceRequest pace;  // instruction sampler: in instructions instead of nanoseconds
  // Required by the instruction sampler.
  std::optional<model::Processor> processor;
  host::EngineFiles engines;
  bool children = false;                       // include descendants of the program
  std::vector<pmu::ProgramEvent> events = {};  // further channels of the observer
  std::string
      machine;  // name of the host in the file; a modelled processor's name takes precedence
  MetricSelection selection;
  std::filesystem::path file;            // output file; replaced
  std::optional<double> engine_seconds;  // limit of a run under an engine; absent: none
  StopAsked interrupted;
  // Called before the start with the metrics that will be recorded, if the program has none of its
  // own; an error prevents the run.
  std::function<Result<void>(const format::SeriesHead&)> check_head = {};
};

struct TraceRun {
  run::Finished finished;
  // Of the engine, and of an exit status that differs from the native run. `finished` has those of
  // the run.
  std::vector<Caveat> caveats;
  // Not all records could be written. The file can be opened and says what is missing; the program
  // was not affected.
  std::optional<Error> file_error;
};

// Whether tare-cc built the program or library.
bool IsInstrumented(const std::filesystem::path& file);

// Runs the program once. If it fails, runs it again silently and without the controlled
// environment, to see whether it fails then too. Fails before the start if the series cannot be
// written, the sampler is not available, or none of the selected metrics is.
Result<TraceRun> TraceProgram(const TraceRequest& request);

}  // namespace tare::sample
