// proxy_measurement.h: an original program and its instrumented build, measured side by side.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/proxy/metric_ratio.h"
#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"
#include "machine/host/engine_files.h"
#include "measure/count/count_program.h"
#include "measure/run/process.h"
#include "model/core/processor.h"

namespace tare::proxy {

struct ProxyRequest {
  run::ResolvedProgram vanilla;
  run::ResolvedProgram instrumented;
  run::Setting setting;  // of both
  std::string region;    // counted function; empty for all
  bool children = false;
  bool pin_view = true;
  std::optional<model::Processor> processor;  // whose events are modelled; absent: none
  double tolerance = 0.1;
  double confidence = 0.95;
  std::optional<std::size_t> pairs;      // of timed runs; absent: until the interval is narrow
  std::size_t layouts = 3;               // at which runs are counted
  std::optional<double> budget_seconds;  // for timed runs; absent: by their own time
  std::optional<double> engine_seconds;  // the limit of an engine's run; see engine::LimitOf
  std::function<bool()> interrupted;
};

// Of both programs.
struct CountedRuns {
  std::string engine;    // empty when nothing was counted
  std::string absence;   // why
  count::Tally vanilla;  // of the first layout
  count::Tally instrumented;
};

struct ProxyReport {
  JudgedProgram judged;
  run::Finished vanilla;  // first runs, with their output
  run::Finished instrumented;
  // In words, when the two did not do the same work: statuses or outputs differ.
  std::vector<std::string> other_work;
  run::Setting setting;          // of all runs but the first
  bool control_dropped = false;  // it is not the one that was asked for
  bool output_varies = false;    // the original's own output is another one in each run
  std::size_t pairs = 0;         // timed
  std::size_t layouts = 0;       // counted
  CountedRuns counted;
  std::vector<Caveat> caveats;
};

// `images` must outlive the report. Metrics that cannot be had are rows with the reason. Fails when
// a program cannot be started, a function to count is not in both, and when the user stops it.
Result<ProxyReport> MeasureProxy(const ProxyRequest& request, const host::EngineFiles& files,
                                 count::Images& images, const Progress& progress);

}  // namespace tare::proxy
