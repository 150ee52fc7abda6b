// proxy_measurement.h: measures an uninstrumented program and its instrumented build side by side.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/proxy/metric_ratio.h"
#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/stop.h"
#include "machine/host/engine_files.h"
#include "measure/count/count_program.h"
#include "measure/run/process.h"
#include "model/core/processor.h"

namespace tare::proxy {

struct ProxyRequest {
  run::ResolvedProgram vanilla;
  run::ResolvedProgram instrumented;
  run::Setting setting;  // of both
  std::string region;    // function to count; empty: everything
  bool children = false;
  bool pin_view = true;
  std::optional<model::Processor> processor;  // to model; absent: no events
  double tolerance = 0.1;
  double confidence = 0.95;
  std::optional<std::size_t> pairs;  // of timed runs; absent: until the interval is narrow enough
  std::size_t layouts = 3;           // memory layouts of counted runs
  std::optional<double> budget_seconds;   // for timed runs; absent: derived from their duration
  std::optional<double> engine_seconds;   // limit of one run under an engine; see engine::LimitOf
  std::vector<pmu::ProgramEvent> events;  // requested by name
  // Why a number of an event is doubtful, if it comes from one of the sources: its self-test
  // failed.
  std::function<std::optional<std::string>(std::span<const std::string> sources,
                                           std::string_view event)>
      failed_test = {};
  StopAsked interrupted;
};

// Tallies of both programs.
struct CountedRuns {
  std::string engine;    // empty if nothing was counted
  std::string absence;   // why not
  count::Tally vanilla;  // of the first layout
  count::Tally instrumented;
};

struct ProxyReport {
  ProgramRatios ratios;
  run::Finished vanilla;  // first runs, with their output
  run::Finished instrumented;
  // How the two programs differ in their work: exit statuses or outputs; empty if they do not.
  std::vector<std::string> other_work;
  run::Setting setting;          // of all runs except the first
  bool control_dropped = false;  // `setting` differs from the requested one
  bool output_varies = false;    // the uninstrumented program's output differs from run to run
  std::size_t pairs = 0;         // timed
  std::size_t layouts = 0;       // counted
  CountedRuns counted;
  std::vector<Caveat> caveats;
};

// `images` must outlive the report. Metrics that are not available are rows with the reason. Fails
// if a program cannot be started, if the region's function is not in both, and when the user
// interrupts.
Result<ProxyReport> MeasureProxy(const ProxyRequest& request, const host::EngineFiles& files,
                                 count::Images& images, const Progress& progress);

}  // namespace tare::proxy
