// count_program.h: counts a program with several engines and explains their differences.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/stop.h"
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
  std::optional<model::Processor> processor;  // required by the virtual engine
  bool compiled_streams = false;  // the compiled engine also feeds that processor's models
  int runs = 2;
  std::optional<int> first_engine_runs;  // runs of the first engine, where they differ from `runs`
  std::optional<run::Ended> expected;    // how a native run ends, if known
  std::optional<double> native_seconds;  // wall time of a native run, if known
  std::optional<double> engine_seconds;  // limit of one run under an engine; see LimitOf
  bool events = true;                    // native runs with kernel and hardware events
  int native_runs = 1;                   // how many of them
  std::vector<pmu::ProgramEvent> more_events;  // requested by name, for those same runs
  bool multiplexing = false;
  // Starts with one native run outside the controlled setup, with the standard streams of
  // `setting`. That run determines how the program ends. Counted runs are silent.
  bool pass_output = false;
  StopAsked interrupted;
};

// One engine's counts over all runs.
struct EngineCounts {
  engine::Engine engine = engine::Engine::kValgrind;
  std::string absence;  // why there are no counts; empty if there are some
  std::vector<MetricCounts> runs;
  std::vector<model::EventCounts> events;  // of each run that fed models
  Tally tally;                             // of the first run
  std::set<engine::FunctionKey> unrepeatable;
  std::optional<engine::Coverage> coverage;  // of an engine that sees only instrumented code
  run::Ended ended;
  std::vector<Caveat> caveats;

  bool Usable() const { return absence.empty() && !runs.empty(); }
};

struct ZoneEnergy {
  std::string zone;
  std::optional<std::uint64_t> microjoules;  // absent: it could not be read
};

// A native run with its kernel and hardware events.
struct NativeCounts {
  run::Finished finished;
  std::vector<pmu::MetricCount> hardware;
  std::vector<pmu::MetricCount> kernel;
  std::vector<pmu::ProgramCount> more;
  std::vector<ZoneEnergy> energy;  // of the machine, while the program ran
  std::string energy_absence;      // why there is none
};

struct CountReport {
  bool of_region = false;
  std::optional<NativeCounts> native;
  std::vector<NativeCounts> native_runs;  // all native runs with events; `native` is the first
  std::vector<EngineCounts> engines;
  std::optional<std::size_t> reference;  // index of the first engine that gave counts
  std::vector<Ledger> ledgers;           // one per engine; empty for the reference
  run::Ended ended;                      // of the native run, or else of the first engine's run
  run::Setting setting;                  // of all runs except the first native one
  bool control_dropped = false;          // `setting` differs from the requested one
  std::vector<Caveat> caveats;
};

// `images` must outlive the report. An engine that is not available gives an entry with the reason,
// not an error. Fails when the program cannot be started and when the user interrupts.
Result<CountReport> CountProgram(const CountRequest& request, const host::EngineFiles& files,
                                 Images& images, const Progress& progress);

}  // namespace tare::count
