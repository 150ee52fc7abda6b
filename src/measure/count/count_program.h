// count_program.h: a program counted by several engines, and what is left over between them.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"
#include "machine/pmu/program_metrics.h"
#include "measure/count/ledger.h"
#include "measure/count/tally.h"
#include "measure/engine/engine_run.h"

namespace tare::count {

struct CountRequest {
  run::ResolvedProgram program;
  run::Setting setting;
  std::optional<engine::Region> region;
  bool children = false;
  bool pin_view = true;
  RepConvention convention = RepConvention::kOnce;
  std::vector<engine::Engine> engines;
  std::optional<model::Processor> processor;  // needed with the virtual engine
  bool compiled_streams = false;  // the compiled engine tells that processor's models, too
  int runs = 2;
  std::optional<int> first_engine_runs;  // where that engine shall repeat more often
  std::optional<run::Ended> expected;    // how the program ends on its own, where that is known
  std::optional<double> native_seconds;  // how long that takes, where it is known
  std::optional<double> engine_seconds;  // the limit of an engine's run; see LimitOf
  bool events = true;  // one native run with the kernel's and the processor's events
  std::vector<pmu::ProgramEvent> more_events;  // asked for by name, in that same run
  bool multiplexing = false;
  // One run on its own, out of control, comes first, with the standard streams of `setting`; it
  // tells how the program ends. Counted runs are silent.
  bool pass_output = false;
  std::function<bool()> interrupted;
};

// One engine over all runs.
struct EngineCounts {
  engine::Engine engine = engine::Engine::kValgrind;
  std::string absence;  // why there is nothing; empty when there is
  std::vector<MetricCounts> runs;
  std::vector<model::EventCounts> events;  // of each run that told models
  Tally tally;                             // of the first run
  std::set<engine::FunctionKey> unrepeatable;
  std::optional<engine::Coverage> coverage;  // of an engine that does not see everything
  run::Ended ended;
  std::vector<Caveat> caveats;

  bool Usable() const { return absence.empty() && !runs.empty(); }
};

// The program on its own, with the events of kernel and processor.
struct NativeCounts {
  run::Finished finished;
  std::vector<pmu::MetricCount> hardware;
  std::vector<pmu::MetricCount> kernel;
  std::vector<pmu::ProgramCount> more;
};

struct CountReport {
  bool of_region = false;
  std::optional<NativeCounts> native;
  std::vector<EngineCounts> engines;
  std::optional<std::size_t> reference;  // the first engine that gave counts
  std::vector<Ledger> ledgers;           // as many as engines; empty ones for the reference
  run::Ended ended;                      // of the program on its own, or in the first engine
  run::Setting setting;                  // of all runs but the first one on its own
  bool control_dropped = false;          // it is not the one that was asked for
  std::vector<Caveat> caveats;
};

// `images` must outlive the report. An engine that cannot be had is a row with the reason, not a
// failure; fails when the program cannot be started, and when the user stopped it.
Result<CountReport> CountProgram(const CountRequest& request, const host::EngineFiles& files,
                                 Images& images, const Progress& progress);

}  // namespace tare::count
