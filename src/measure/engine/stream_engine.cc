// stream_engine.cc: starts and stops reading streams, and assigns their events to blocks.
#include "measure/engine/stream_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "measure/engine/blocks_by_address.h"
#include "measure/engine/virtual_engine.h"

namespace tare::engine {
namespace {

using format::Block;
using format::Recording;

// Removes the places whose block was found from `streams`.
vpmu::ProcessEvents EventsOf(const Recording& recording, vpmu::CompiledEvents& streams) {
  vpmu::ProcessEvents events;
  events.process = recording.process;
  events.generation = recording.generation;
  events.blocks.resize(recording.blocks.size());
  events.cut_short = streams.cut_short;
  const BlocksByAddress blocks(recording);
  std::erase_if(streams.places, [&](const vpmu::CompiledPlace& place) {
    const Block* const block = blocks.At(place.address);
    if (block != nullptr) events.blocks[block->number] += place.events;
    return block != nullptr;
  });
  return events;
}

void AddStreamCaveats(const vpmu::CompiledEvents& streams, EngineRun& run) {
  if (!streams.places.empty()) {
    run.caveats.push_back(
        {CaveatId::kIncomplete,
         fmt::format("process {}: events at {} addresses belong to no counted block",
                     streams.process, streams.places.size())});
  }
  if (streams.order_varies) {
    run.caveats.push_back(
        {CaveatId::kNotRepeatable,
         fmt::format("process {}: the models received the accesses of several threads or modules "
                     "in order of arrival, which varies between runs",
                     streams.process)});
  }
}

}  // namespace

Result<void> StreamThread::Prepare(const EnginePlan& plan, const std::filesystem::path& directory) {
  TRY_VOID(RequireProcessor(plan));
  return vpmu::RequestStreams(directory);
}

StreamThread::StreamThread(const EnginePlan& plan, std::filesystem::path directory)
    : plan_(plan), directory_(std::move(directory)) {
  CHECK(plan.virtual_pmu.has_value());
}

StreamThread::~StreamThread() { Stop(); }

Result<void> StreamThread::Start() {
  const auto work = [this] {
    if (const auto& read_streams = plan_.virtual_pmu->read_streams) {
      const auto read = read_streams(directory_, ended_);
      if (!read) events_ = std::unexpected(read.error());
      return;
    }
    events_ = vpmu::ConsumeCompiled(plan_.virtual_pmu->processor, directory_, ended_);
  };
  TRY(thread_, StartBeside(plan_.setting.core, work));
  return {};
}

Result<std::vector<vpmu::CompiledEvents>> StreamThread::Finish() {
  Stop();
  if (events_ && events_->empty() && !plan_.virtual_pmu->read_streams) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} has no stream for the models; build it with tare-cc --tare-stream",
                            plan_.program.path.filename().string()));
  }
  return std::move(events_);
}

void StreamThread::Stop() {
  ended_.store(true, std::memory_order_release);
  if (thread_.joinable()) thread_.join();
}

void JoinStreams(std::vector<vpmu::CompiledEvents> streams, EngineRun& run) {
  for (Recording& recording : run.recordings) {
    const auto found =
        std::ranges::find(streams, recording.process, &vpmu::CompiledEvents::process);
    if (found == streams.end()) continue;
    NumberBlocks(recording);
    run.events.push_back(EventsOf(recording, *found));
  }
  for (const vpmu::CompiledEvents& of_process : streams) AddStreamCaveats(of_process, run);
}

}  // namespace tare::engine
