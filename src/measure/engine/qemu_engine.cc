// qemu_engine.cc: the command line of qemu-user and of its plugin.
#include "measure/engine/qemu_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "binary/decode/architecture.h"
#include "format/recording.h"
#include "format/start_stack.h"
#include "measure/engine/engine_limit.h"
#include "measure/engine/engine_setting.h"
#include "measure/engine/virtual_engine.h"

namespace tare::engine {
namespace {

// Commas separate the plugin's arguments; a doubled comma is a literal one.
std::string PluginValue(const std::string& value) {
  std::string doubled;
  for (const char letter : value) doubled += letter == ',' ? ",," : std::string(1, letter);
  return doubled;
}

// On x86-64: the processor that Valgrind emulates, as closely as QEMU can match it.
std::string QemuProcessor() {
  if (decode::HostArchitecture() == decode::Architecture::kAArch64) return "max,sve=off";
  return "max,vendor=GenuineIntel,family=6,model=60,stepping=3,-adx,-mpx,-sse4a,-3dnow,-3dnowext,-"
         "svm";
}

// Blocks in order, for the plan's sink. Models of a processor need addresses, too.
bool StreamsBlocks(const EnginePlan& plan) {
  return plan.virtual_pmu && plan.virtual_pmu->make_sink;
}

}  // namespace

Result<EngineRun> RunQemuEngine(const EngineTask& task) {
  const EnginePlan& plan = task.plan;
  if (StreamsBlocks(plan) && plan.region) {
    return Fail(ErrorKind::kUnsupported, "the engine qemu streams whole programs; omit --region");
  }
  if (plan.setting.layout.IsRequested()) {
    return Fail(
        ErrorKind::kUnsupported,
        "the engine qemu chooses the memory layout itself; use valgrind or step for offsets");
  }
  std::string plugin = fmt::format(
      "{},directory={},pin={},hwcap={:x}", PluginValue(task.files.qemu_plugin->string()),
      PluginValue(task.directory), plan.pin_view ? "yes" : "no", FeaturesOf(plan));
  if (plan.region) plugin += ",region=" + RegionText(*plan.region);
  if (StreamsBlocks(plan)) plugin += ",flow=yes";
  run::Setting setting = plan.setting;
  FixName(plan, setting);
  TRY(auto environment, ProgramEnvironment(plan.program, setting));
  // QEMU passes the variables on in reverse order.
  std::ranges::reverse(environment);
  // QEMU also reads its options from environment variables, and its option -E cannot restore
  // variables that contain commas.
  if (HideVariables(TARE_QEMU_PREFIX, environment)) plugin += ",hidden=yes";
  GiveEnvironment(setting, std::move(environment));
  std::vector<std::string> prefix = {task.files.qemu_program->string(), "-cpu", QemuProcessor(),
                                     "-plugin", plugin};
  TRY(const auto program, run::Wrapped(plan.program, std::move(prefix)));
  EngineRun run;
  std::optional<FlowThread> thread;
  run::Hooks hooks = task.hooks;
  if (StreamsBlocks(plan)) {
    thread.emplace(plan, task.directory);
    hooks.before_exec = [&thread, first = task.hooks.before_exec](pid_t process) -> Result<void> {
      TRY_VOID(first(process));
      return thread->Start();
    };
  }
  TRY(run.finished, RunWithinLimit(Engine::kQemu, plan, program, setting, hooks));
  if (thread) TRY_VOID(thread->Finish());
  TRY(run.recordings, format::ReadRecordings(task.directory));
  return run;
}

}  // namespace tare::engine
