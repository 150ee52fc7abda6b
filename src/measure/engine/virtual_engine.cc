// virtual_engine.cc: starts and stops reading flows.
#include "measure/engine/virtual_engine.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <utility>

#include "base/check.h"
#include "base/start_thread.h"
#include "measure/engine/valgrind_engine.h"

namespace tare::engine {
namespace {

// Removes `core` from the calling thread's affinity mask unless it is the only core.
void LeaveCore(unsigned core) {
  cpu_set_t allowed;
  if (core >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0) return;
  CPU_CLR(core, &allowed);
  if (CPU_COUNT(&allowed) > 0) sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace

FlowThread::FlowThread(const EnginePlan& plan, std::filesystem::path directory)
    : core_(plan.setting.core) {
  CHECK(plan.virtual_pmu.has_value());
  plan_.processor = plan.virtual_pmu->processor;
  plan_.directory = std::move(directory);
  plan_.of_region = plan.region.has_value();
  plan_.on_sample = plan.virtual_pmu->on_sample;
  make_sink_ = plan.virtual_pmu->make_sink;
}

FlowThread::~FlowThread() { Stop(); }

Result<void> FlowThread::Start() {
  const auto work = [this] {
    if (!make_sink_) {
      events_ = vpmu::Consume(plan_, ended_);
      return;
    }
    const auto read = vpmu::ReadFlows(plan_.directory, make_sink_, ended_);
    if (!read) events_ = std::unexpected(read.error());
  };
  TRY(thread_, StartBeside(core_, work));
  return {};
}

Result<std::vector<vpmu::ProcessEvents>> FlowThread::Finish() {
  Stop();
  return std::move(events_);
}

void FlowThread::Stop() {
  ended_.store(true, std::memory_order_release);
  if (thread_.joinable()) thread_.join();
}

Result<std::thread> StartBeside(std::optional<unsigned> program_core, std::function<void()> work) {
  return StartThreadWithoutSignals([program_core, work = std::move(work)] {
    if (program_core) LeaveCore(*program_core);
    work();
  });
}

Result<void> RequireProcessor(const EnginePlan& plan) {
  if (!plan.virtual_pmu) {
    return Fail(ErrorKind::kUsage, "the engine virtual needs a processor to model; use --machine");
  }
  if (plan.virtual_pmu->make_sink || plan.virtual_pmu->read_streams) return {};
  return model::Validate(plan.virtual_pmu->processor);
}

void AddFlowCaveats(const EnginePlan& plan, std::uint64_t root, EngineRun& run) {
  const bool has_flows = !run.events.empty() || (plan.virtual_pmu && plan.virtual_pmu->make_sink);
  if (!has_flows) return;
  for (const format::Recording& recording : run.recordings) {
    if (recording.process != root || recording.state != TARE_WIRE_RUNNING) continue;
    if (recording.engine == TARE_WIRE_QEMU) continue;  // counts itself
    run.caveats.push_back(
        {CaveatId::kIncomplete,
         fmt::format("process {} was killed; some of its last blocks are not counted", root)});
  }
  for (const vpmu::ProcessEvents& events : run.events) {
    if (!events.cut_short) continue;
    run.caveats.push_back({CaveatId::kIncomplete,
                           fmt::format("process {}: the models did not receive the end of its flow",
                                       events.process)});
  }
}

Result<EngineRun> RunVirtualEngine(const EngineTask& task) {
  TRY_VOID(RequireProcessor(task.plan));
  FlowThread thread(task.plan, task.directory);
  run::Hooks hooks = task.hooks;
  // The flow is read as soon as the program's process exists and nothing is forked any more.
  hooks.before_exec = [&thread, first = task.hooks.before_exec](pid_t process) -> Result<void> {
    TRY_VOID(first(process));
    return thread.Start();
  };
  EngineRun run;
  TRY(run.finished, RunValgrind(task.files, task.plan, task.directory, hooks));
  TRY(run.events, thread.Finish());
  TRY(run.recordings, format::ReadRecordings(task.directory));
  return run;
}

}  // namespace tare::engine
