// engine.cc: one row per engine. docs/how-to-add.md says how to add another.
#include "measure/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/enum_table.h"
#include "machine/host/single_step.h"
#include "measure/engine/compiled_run.h"
#include "measure/engine/engine_run.h"
#include "measure/engine/qemu_engine.h"
#include "measure/engine/step_run.h"
#include "measure/engine/valgrind_engine.h"
#include "measure/engine/virtual_engine.h"

namespace tare::engine {
namespace {

Result<void> Always(const host::EngineFiles&) { return {}; }

Result<void> CanRunValgrind(const host::EngineFiles& files) {
  if (!files.valgrind_tool) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("tare's Valgrind tool is not in {}", host::EngineDirectories()));
  }
  if (!files.valgrind_launcher) return Fail(ErrorKind::kUnsupported, "valgrind is not installed");
  return {};
}

Result<void> CanRunQemu(const host::EngineFiles& files) {
  if (!files.qemu_plugin) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("tare's QEMU plugin is not in {}", host::EngineDirectories()));
  }
  if (!files.qemu_program) {
    return Fail(ErrorKind::kUnsupported, "qemu-user is not installed for this architecture");
  }
  return {};
}

host::Engine ExamineValgrind(const host::EngineSearch& search, const host::EngineFiles& files) {
  host::Engine engine = host::FindValgrind(search);
  host::JoinOwnPart(engine, files.valgrind_tool.has_value());
  return engine;
}

host::Engine ExamineVirtual(const host::EngineSearch& search, const host::EngineFiles& files) {
  host::Engine engine = host::FindValgrind(search);
  engine.name = "virtual";
  host::JoinOwnPart(engine, files.valgrind_tool.has_value());
  return engine;
}

host::Engine ExamineQemu(const host::EngineSearch& search, const host::EngineFiles& files) {
  host::Engine engine = host::FindQemu(search);
  host::JoinOwnPart(engine, files.qemu_plugin.has_value());
  return engine;
}

host::Engine ExamineStep(const host::EngineSearch&, const host::EngineFiles&) {
  return host::StepEngine(host::TrySingleStep());
}

host::Engine ExamineCompiled(const host::EngineSearch& search, const host::EngineFiles& files) {
  host::Engine engine = host::FindCompiler(search);
  host::JoinOwnPart(engine, files.clang_plugin.has_value() && files.runtime.has_value());
  return engine;
}

// Engines that translate take 5 to 10 times the program's own time, with models 40 times, and run
// threads one after another (bench/README.md); a factor of a thousand leaves room for many cores.
// They start within seconds even on a busy machine.
constexpr LimitRule kTranslated = {.times = 1000, .min_seconds = 60};
// The stepper executes 25,000 to 112,000 instructions a second, a processor up to ten billion.
constexpr LimitRule kStepped = {.times = 400'000, .min_seconds = 600};

constexpr auto kTable = std::to_array<EngineRow>({
    {.id = Engine::kHardware, .name = "hardware", .counts = "hardware counters of the processor"},
    {.id = Engine::kKernel,
     .name = "kernel",
     .counts = "page faults, context switches, migrations and CPU time"},
    {.id = Engine::kValgrind,
     .name = "valgrind",
     .counts = "every instruction, by binary translation (tare's Valgrind tool)",
     .sees_instructions = true,
     .counts_regions = true,
     .shows_processor = true,
     .replays_system_logs = true,
     .is_in_pid_namespace = true,
     .layout = LayoutControl::kEngine,
     .limit = kTranslated,
     .can_run = CanRunValgrind,
     .run = RunValgrindEngine,
     .examine = ExamineValgrind},
    {.id = Engine::kQemu,
     .name = "qemu",
     .counts = "every instruction, by binary translation (a plugin for qemu-user)",
     .sees_instructions = true,
     .counts_regions = true,
     .shows_processor = true,
     .is_in_pid_namespace = true,
     .layout = LayoutControl::kNone,
     .limit = kTranslated,
     .can_run = CanRunQemu,
     .run = RunQemuEngine,
     .examine = ExamineQemu},
    {.id = Engine::kStep,
     .name = "step",
     .counts = "every instruction, by single-stepping (ptrace)",
     .sees_instructions = true,
     .counts_regions = true,
     .shows_processor = true,
     .limit = kStepped,
     .can_run = Always,
     .run = RunStepEngine,
     .examine = ExamineStep},
    {.id = Engine::kCompiled,
     .name = "compiled",
     .counts = "block counters of a program built with tare-cc",
     .sees_instructions = true,
     .needs_instrumentation = true,
     .is_in_pid_namespace = true,
     .limit = kTranslated,
     .can_run = Always,
     .run = RunCompiledEngine,
     .examine = ExamineCompiled},
    {.id = Engine::kVirtual,
     .name = "virtual",
     .counts = "cache, TLB and branch events of a modelled processor",
     .sees_instructions = true,
     .counts_regions = true,
     .shows_processor = true,
     .replays_system_logs = true,
     .needs_processor = true,
     .is_in_pid_namespace = true,
     .layout = LayoutControl::kEngine,
     .limit = kTranslated,
     .can_run = CanRunValgrind,
     .run = RunVirtualEngine,
     .examine = ExamineVirtual},
});
static_assert(HasRowPerEnumerator(kTable, &EngineRow::id, Engine::kVirtual));

}  // namespace

std::span<const EngineRow> EngineTable() { return kTable; }

const EngineRow& Row(Engine engine) { return kTable[static_cast<std::size_t>(engine)]; }

std::string_view Name(Engine engine) { return Row(engine).name; }

std::optional<Engine> ParseEngine(std::string_view name) {
  const auto found = std::ranges::find(kTable, name, &EngineRow::name);
  if (found == kTable.end()) return std::nullopt;
  return found->id;
}

bool UsesValgrind(Engine engine) { return Row(engine).can_run == CanRunValgrind; }

Result<void> CanRun(Engine engine, const host::EngineFiles& files) {
  const EngineRow& row = Row(engine);
  return row.can_run == nullptr ? Result<void>() : row.can_run(files);
}

std::vector<host::Engine> ExamineEngines(const host::EngineSearch& search) {
  const host::EngineFiles files = host::FindEngineFiles();
  std::vector<host::Engine> engines;
  for (const EngineRow& row : kTable) {
    if (row.examine != nullptr) engines.push_back(row.examine(search, files));
  }
  return engines;
}

}  // namespace tare::engine
