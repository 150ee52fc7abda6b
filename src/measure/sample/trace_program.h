// trace_program.h: one run of a program and its vertical trace.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "machine/host/engine_files.h"
#include "measure/run/process.h"
#include "measure/sample/metric_choice.h"
#include "measure/sample/pace.h"
#include "model/core/processor.h"

namespace tare::sample {

enum class Sampler {
  kObserver,      // reads from outside; the program never stops
  kSignal,        // a timer inside the program, which must have been built by tare-cc
  kInstructions,  // every so many instructions, under the virtual engine; no clock at all
};

std::string_view Name(Sampler sampler);

struct TraceRequest {
  run::ResolvedProgram program;
  run::Setting setting;
  Sampler sampler = Sampler::kObserver;
  PaceRequest pace;  // of the instruction sampler: in instructions instead of nanoseconds
  // Needed by the instruction sampler.
  std::optional<model::Processor> processor;
  host::EngineFiles engines;
  bool children = false;  // processes that descend from the program too
  std::string machine;    // what the file calls the one that it runs on; the modelled one otherwise
  MetricChoice choice;
  std::filesystem::path file;            // the series; replaced
  std::optional<double> engine_seconds;  // the limit of an engine's run; absent: none
  std::function<bool()> interrupted;
};

struct TraceRun {
  run::Finished finished;
  // Of the engine, and of an end that differs from that of a plain run; those of the run are with
  // it.
  std::vector<Caveat> caveats;
  // The file could not take all records. It opens and tells what is missing; the program was not
  // affected.
  std::optional<Error> file_error;
};

// Whether the file is a program or library that tare-cc has built.
bool IsInstrumented(const std::filesystem::path& file);

// Runs the program once; and once more, silently and without any control, when it fails, to see
// whether it does so anyway. Fails before it is started when the series cannot be written, when the
// sampler cannot be had, and when none of the metrics wanted can be.
Result<TraceRun> TraceProgram(const TraceRequest& request);

}  // namespace tare::sample
