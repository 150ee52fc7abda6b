// stream_engine.h: the memory that a program built by tare-cc touches, told to the models of a
// processor while it runs.
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

// Reads streams while the program runs. Gone with its thread, whatever happens between.
class StreamThread {
 public:
  // Leaves the request in the directory. kUsage for a processor that cannot be modelled.
  static Result<void> Prepare(const EnginePlan& plan, const std::filesystem::path& directory);
  // `plan` has virtual_pmu and outlives this.
  StreamThread(const EnginePlan& plan, std::filesystem::path directory);
  ~StreamThread();
  StreamThread(const StreamThread&) = delete;
  StreamThread& operator=(const StreamThread&) = delete;

  // As FlowThread::Start.
  void Start();
  // The program has ended: what is left is read. kUnsupported when it has no stream.
  Result<std::vector<vpmu::CompiledEvents>> Finish();

 private:
  void Stop();

  const EnginePlan& plan_;
  std::filesystem::path directory_;
  std::atomic<bool> ended_ = false;
  Result<std::vector<vpmu::CompiledEvents>> events_;
  std::thread thread_;
};

// Events by the blocks of the run's recordings, which get their numbers here, into run.events; and
// what is not to be trusted in them as caveats.
void JoinStreams(std::vector<vpmu::CompiledEvents> streams, EngineRun& run);

}  // namespace tare::engine
