// virtual_engine.h: the thread that tells a program's flow to the models of a processor.
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

// Reads flows while the program runs. Gone with its thread, whatever happens between.
class FlowThread {
 public:
  // `plan` has virtual_pmu and outlives this.
  FlowThread(const EnginePlan& plan, std::filesystem::path directory);
  ~FlowThread();
  FlowThread(const FlowThread&) = delete;
  FlowThread& operator=(const FlowThread&) = delete;

  // Not before this process has forked the program.
  void Start();

  // The program has ended: what is left is read, and the recordings get their counts.
  Result<std::vector<vpmu::ProcessEvents>> Finish();

 private:
  void Stop();

  vpmu::ConsumerPlan plan_;
  std::optional<unsigned> core_;
  std::atomic<bool> ended_ = false;
  Result<std::vector<vpmu::ProcessEvents>> events_;
  std::thread thread_;
};

// A thread that takes no signals and stays off the core that the program is bound to, where there
// is another one.
std::thread StartBeside(std::optional<unsigned> program_core, std::function<void()> work);

// Counts, and the events of the plan's processor.
Result<EngineRun> RunVirtualEngine(const EngineTask& task);

// kUsage for a processor that cannot be modelled, and for a plan without one.
Result<void> RequireProcessor(const EnginePlan& plan);

// Of what the flows do not hold; `root` is the program's process.
void AddFlowCaveats(std::uint64_t root, EngineRun& run);

}  // namespace tare::engine
