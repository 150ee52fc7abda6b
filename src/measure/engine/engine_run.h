// engine_run.h: runs a program once under an engine that counts instructions.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "base/stop.h"
#include "format/recording.h"
#include "format/system_log.h"
#include "machine/host/engine_files.h"
#include "measure/engine/coverage.h"
#include "measure/engine/engine.h"
#include "measure/engine/stepped_instruction.h"
#include "measure/run/process.h"
#include "model/core/processor.h"
#include "model/vpmu/consumer.h"
#include "model/vpmu/flow_rotation.h"

namespace tare::engine {

// The dynamic extent of a function: from its first instruction to its return, callees included,
// plus the threads that are created meanwhile, until they end.
struct Region {
  std::string function;
  std::string file;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t offset = 0;  // of its first instruction in the file
};

// Finds a function of the program or, for "FILE:FUNCTION", of a library that it loads. Finds "main"
// in stripped programs too.
Result<Region> FindRegion(const run::ResolvedProgram& program, const std::string& function);

// System inputs to record or replay; Valgrind only. Covers the first process until its execve;
// child processes make real system calls.
struct SystemLogs {
  // Replaced atomically when the run has ended.
  std::optional<std::filesystem::path> record;
  // Only kinds that can be replayed. The log must come from the same machine and program.
  std::map<format::SystemLogKind, std::filesystem::path> replay;
};

// The processor whose caches, TLBs and branch predictors are modelled.
struct VirtualPlan {
  model::Processor processor;
  // If set, flows are passed to what it makes, on another thread, and the processor is ignored.
  vpmu::MakeFlowSink make_sink = {};
  // The accesses that flows omit for make_sink (docs/formats/flow.md); 0 entries: none. All are
  // recorded in the first burst_chunks of every burst_period chunks; 0: no bursts.
  tare_flow_filter sink_filter = {};
  unsigned burst_chunks = 0;
  unsigned burst_period = 1;
  // The windows of a sparse flow: in the first window_parts of every window_period parts.
  unsigned window_parts = 1;
  unsigned window_period = 16;
  // The same for the streams of a program built by tare-cc: reads those in the directory until
  // `ended` is set and none is left.
  std::function<Result<void>(const std::filesystem::path& directory,
                             const std::atomic<bool>& ended)>
      read_streams = {};
  // Whether a program without block counters is refused although its streams are read.
  bool needs_counters = true;
  // Instructions between samples; 0: no samples.
  std::uint64_t sample_instructions = 0;
  std::uint64_t first_sample = 0;  // instructions before the first sample; 0: sample_instructions
  std::function<void(const vpmu::SampledTotals&)> on_sample = {};
  // Where a program built by tare-cc writes its counters; empty: nowhere.
  std::filesystem::path counters_directory = {};
  // Whether the engine drops repeated accesses where that is exact. The events are the same; it
  // moves work from the reader to the program's core, and pays where the reader does much more for
  // an access than these models do.
  bool filter = false;
};

// The limit of one run under an engine.
struct EngineLimit {
  double seconds = 0;
  std::optional<double> native_seconds;  // duration of a native run, if known
};

struct EnginePlan {
  run::ResolvedProgram program;
  run::Setting setting;
  std::optional<Region> region;
  bool children = false;  // follow forks and execve
  // The program sees the processor features, AT_RANDOM bytes and stack alignment that all engines
  // can provide. If false, it sees what the engine provides by default.
  bool pin_view = true;
  // The AT_HWCAP mask that the program sees if pin_view is set; absent: CommonHwcap().
  std::optional<std::uint64_t> features;
  // Valgrind only: 0, or a positive number that selects other addresses and another number of
  // mappings.
  int memory_place = 0;
  SystemLogs system_logs;
  // Required by the virtual engine. The compiled engine feeds the models with the memory accesses
  // of the program's own streams, but not with code or branches (model::ModelInputs).
  std::optional<VirtualPlan> virtual_pmu;
  std::optional<EngineLimit> limit;  // see LimitOf; absent: no limit
  OnStep on_step;                    // of the engine step; may be empty
  // Called while the process waits to execute the program or its engine; may be empty.
  std::function<void(pid_t)> before_exec;
  StopAsked interrupted;
};

struct EngineRun {
  run::Finished finished;
  std::vector<format::Recording> recordings;
  std::vector<Caveat> caveats;
  std::optional<Coverage> coverage;         // of an engine that sees only instrumented code
  std::vector<vpmu::ProcessEvents> events;  // if the plan has virtual_pmu without make_sink
};

// kUnsupported if the engine is not installed or cannot run the program; kTimedOut if the run
// exceeds the plan's limit. Standard streams and exit status are those of the program.
Result<EngineRun> RunUnder(Engine engine, const host::EngineFiles& files, const EnginePlan& plan);

// Whether a process executed another program that the engine did not follow.
bool WasReplaced(const EngineRun& run);

// The AT_HWCAP mask that every engine can provide.
std::uint64_t CommonHwcap();

}  // namespace tare::engine
