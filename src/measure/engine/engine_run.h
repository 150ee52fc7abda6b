// engine_run.h: one run of a program under an engine that sees instructions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "format/recording.h"
#include "format/system_log.h"
#include "machine/host/engine_files.h"
#include "measure/engine/coverage.h"
#include "measure/engine/engine.h"
#include "measure/run/process.h"
#include "model/core/processor.h"
#include "model/vpmu/consumer.h"

namespace tare::engine {

// The dynamic extent of a function: from its first instruction to its return, all that it calls
// included, and the threads that are made meanwhile to their end.
struct Region {
  std::string function;
  std::string file;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t offset = 0;  // of its first instruction in the file
};

// A function of the program, or of the file in "FILE:FUNCTION", a library that it loads. "main" is
// found in stripped programs too.
Result<Region> FindRegion(const run::ResolvedProgram& program, const std::string& function);

// Valgrind only: what the program asks the system for, written down or answered from what was
// written down before. The first process until it executes another program; its children ask the
// system.
struct SystemLogs {
  // Replaced whole when the run has ended.
  std::optional<std::filesystem::path> record;
  // Only kinds that can be played back. A log recorded on the same machine, for the same program.
  std::map<format::SystemLogKind, std::filesystem::path> play;
};

// The processor whose caches, translations and predictors are modelled.
struct VirtualPlan {
  model::Processor processor;
  // A sample whenever so many instructions have run; 0: none.
  std::uint64_t sample_instructions = 0;
  std::uint64_t first_sample = 0;  // after so many; 0: as many as between samples
  std::function<void(const vpmu::SampledTotals&)> on_sample = {};
  // Where a program built by tare-cc leaves its counters; empty: nowhere.
  std::filesystem::path counters_directory = {};
};

// Of one run under an engine.
struct EngineLimit {
  double seconds = 0;
  std::optional<double> native_seconds;  // the program's own time, where it is known
};

struct EnginePlan {
  run::ResolvedProgram program;
  run::Setting setting;
  std::optional<Region> region;
  bool children = false;  // follow forks, and programs started by execve
  // The program sees the processor features, random bytes and alignment of its stack that all
  // engines can show; otherwise what the engine shows of itself.
  bool pin_view = true;
  // With that view, the mask of AT_HWCAP that the program sees; CommonHwcap() where it is absent.
  std::optional<std::uint64_t> features;
  // Valgrind: 0, or 1 and more for other places, and another number, of the mappings.
  int memory_place = 0;
  SystemLogs system_logs;
  // Needed by the virtual engine. With the compiled one: the memory that the program's own streams
  // name is told to the models, and neither code nor branches (model::Told).
  std::optional<VirtualPlan> virtual_pmu;
  std::optional<EngineLimit> limit;  // see LimitOf; absent: as long as it takes
  std::function<bool()> interrupted;
};

struct EngineRun {
  run::Finished finished;
  std::vector<format::Recording> recordings;
  std::vector<Caveat> caveats;
  std::optional<Coverage> coverage;         // of an engine that does not see everything
  std::vector<vpmu::ProcessEvents> events;  // of a plan with virtual_pmu
};

// kUnsupported when the engine is not installed or cannot run the program, kTimedOut when it takes
// longer than the plan's limit. The standard streams and the exit status are those of the program.
Result<EngineRun> RunUnder(Engine engine, const host::EngineFiles& files, const EnginePlan& plan);

// Whether a process became another program that the engine did not follow.
bool WasReplaced(const EngineRun& run);

// The mask of AT_HWCAP that every engine can show.
std::uint64_t CommonHwcap();

}  // namespace tare::engine
