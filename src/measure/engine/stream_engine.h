// stream_engine.h: feeds the memory accesses of a program built by tare-cc to a processor's models
// while the program runs.
#pragma once

#include <atomic>
#include <filesystem>
#include <optional>
#include <thread>
#include <vector>

#include "base/result.h"
#include "measure/engine/engine_run.h"
#include "model/vpmu/compiled_stream.h"

namespace tare::engine {

// Reads streams on a thread while the program runs. The destructor joins the thread.
class StreamThread {
 public:
  // Writes the request for streams to the directory. kUsage if the processor cannot be modelled.
  static Result<void> Prepare(const EnginePlan& plan, const std::filesystem::path& directory);
  // `plan` must have virtual_pmu and outlive this object.
  StreamThread(const EnginePlan& plan, std::filesystem::path directory);
  ~StreamThread();
  StreamThread(const StreamThread&) = delete;
  StreamThread& operator=(const StreamThread&) = delete;

  // See FlowThread::Start.
  Result<void> Start();
  // Call after the program has ended: reads the rest. kUnsupported if the program has no stream.
  Result<std::vector<vpmu::CompiledEvents>> Finish();

 private:
  void Stop();

  const EnginePlan& plan_;
  std::filesystem::path directory_;
  std::atomic<bool> ended_ = false;
  Result<std::vector<vpmu::CompiledEvents>> events_;
  std::thread thread_;
};

// Assigns the streams' events to the blocks of the run's recordings, numbers those blocks, and
// stores the events in run.events. Adds caveats for events that are not trustworthy.
void JoinStreams(std::vector<vpmu::CompiledEvents> streams, EngineRun& run);

}  // namespace tare::engine
