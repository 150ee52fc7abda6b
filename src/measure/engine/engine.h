// engine.h: the table of engines: what each of them counts, what it can do, and how it runs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/host/engine_files.h"
#include "measure/run/process.h"

namespace tare::engine {

enum class Engine { kHardware, kKernel, kValgrind, kQemu, kStep, kCompiled, kVirtual };

// Who places the stack, heap and mappings of a program under the engine.
enum class LayoutControl {
  kNone,    // the engine itself, and it takes no offsets
  kEngine,  // the engine, by the offsets that it is given
  kKernel,  // the kernel, as for a native run
};

struct EnginePlan;
struct EngineRun;

// One run, as the function of a row gets it.
struct EngineTask {
  const host::EngineFiles& files;
  const EnginePlan& plan;
  std::string directory;  // private, for what the engine writes
  run::Hooks hooks;
};

// The default time limit: so many times the native run, and at least so many seconds.
struct LimitRule {
  double times = 0;
  double min_seconds = 0;
};

struct EngineRow {
  Engine id;
  std::string_view name;    // for --engine and in results
  std::string_view counts;  // what it counts, in one line

  bool sees_instructions = false;      // otherwise it counts events of one native run
  bool counts_regions = false;         // the dynamic extent of one function
  bool shows_processor = false;        // the program sees the processor features of the plan
  bool replays_system_logs = false;    // EnginePlan::system_logs
  bool needs_processor = false;        // EnginePlan::virtual_pmu
  bool needs_instrumentation = false;  // the program was built by tare-cc
  bool is_in_pid_namespace = false;    // recordings have the PIDs of the program's own namespace
  LayoutControl layout = LayoutControl::kKernel;
  LimitRule limit = {};

  // Whether it can run here, and if not, why (kUnsupported). Null: machine/pmu decides.
  Result<void> (*can_run)(const host::EngineFiles& files) = nullptr;
  // Runs the program and reads what the engine left. Null where sees_instructions is false.
  Result<EngineRun> (*run)(const EngineTask& task) = nullptr;
  // What it needs and whether that is installed, for `tare doctor`. Null as can_run.
  host::Engine (*examine)(const host::EngineSearch& search,
                          const host::EngineFiles& files) = nullptr;
};

// In the order of the enumeration.
std::span<const EngineRow> EngineTable();
const EngineRow& Row(Engine engine);

std::string_view Name(Engine engine);
std::optional<Engine> ParseEngine(std::string_view name);

// True for the engines that are tare's Valgrind tool.
bool UsesValgrind(Engine engine);

// Whether the engine can run here, and if not, why. `hardware` and `kernel` depend on single
// events: what they lack is said for each.
Result<void> CanRun(Engine engine, const host::EngineFiles& files);

// The engines that see instructions, with what they need here.
std::vector<host::Engine> ExamineEngines(const host::EngineSearch& search);

}  // namespace tare::engine
