// virtual_engine.h: the thread that feeds a program's flow to a processor's models.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "measure/engine/engine_run.h"

namespace tare::engine {

// Reads flows on a thread while the program runs. The destructor joins the thread.
class FlowThread {
 public:
  // `plan` must have virtual_pmu and outlive this object.
  FlowThread(const EnginePlan& plan, std::filesystem::path directory);
  ~FlowThread();
  FlowThread(const FlowThread&) = delete;
  FlowThread& operator=(const FlowThread&) = delete;

  // Call after this process has forked the program.
  Result<void> Start();

  // Call after the program has ended: reads the rest and fills in the recordings' counts.
  Result<std::vector<vpmu::ProcessEvents>> Finish();

 private:
  void Stop();

  vpmu::ConsumerPlan plan_;
  vpmu::MakeFlowSink make_sink_;  // may be empty
  std::optional<unsigned> core_;
  std::atomic<bool> ended_ = false;
  Result<std::vector<vpmu::ProcessEvents>> events_;
  std::thread thread_;
};

// Starts a thread that blocks all signals and avoids the core to which the program is bound, if
// there is another core.
Result<std::thread> StartBeside(std::optional<unsigned> program_core, std::function<void()> work);

// Counts, and the events of the plan's processor.
Result<EngineRun> RunVirtualEngine(const EngineTask& task);

// kUsage if the plan has no processor or one that cannot be modelled.
Result<void> RequireProcessor(const EnginePlan& plan);

// Adds caveats for what the flows lack; `root` is the program's process.
void AddFlowCaveats(const EnginePlan& plan, std::uint64_t root, EngineRun& run);

}  // namespace tare::engine
