// collect.cc: runs the program under an engine and joins what the collectors saw with its blocks.
#include "predict/signature/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "predict/signature/block_use.h"
#include "predict/signature/flow_collector.h"
#include "predict/signature/reuse_model.h"
#include "predict/signature/stream_collector.h"

namespace tare::signature {
namespace {

Collected CollectedOf(engine::EngineRun run) {
  Collected collected;
  if (engine::WasReplaced(run)) run.caveats.push_back({CaveatId::kExecNotFollowed, ""});
  collected.finished = std::move(run.finished);
  collected.recordings = std::move(run.recordings);
  collected.coverage = std::move(run.coverage);
  collected.caveats = std::move(run.caveats);
  return collected;
}

void AddCutShort(std::uint64_t process, Collected& collected) {
  collected.complete = false;
  collected.caveats.push_back(
      {CaveatId::kIncomplete,
       fmt::format("process {}: the end of its accesses is missing", process)});
}

// Moves the parts of the processes that have recordings, in the order of the recordings.
void TakeFlows(std::vector<CollectedFlow> flows, Collected& collected) {
  for (std::size_t i = 0; i < collected.recordings.size(); ++i) {
    const format::Recording& recording = collected.recordings[i];
    const auto flow = std::ranges::find_if(flows, [&](const CollectedFlow& one) {
      return one.process == recording.process && one.generation == recording.generation;
    });
    if (flow == flows.end()) continue;
    for (CollectedPart& part : flow->parts) {
      part.recording = i;
      collected.parts.push_back(std::move(part));
    }
    if (i == 0) collected.vectors = std::move(flow->vectors);
    collected.sampled_lines = std::min(collected.sampled_lines, flow->sampled_lines);
    collected.near_exact = collected.near_exact && flow->near_exact;
    if (flow->confused_lines) {
      collected.caveats.push_back(
          {CaveatId::kIncomplete,
           fmt::format("process {}: it uses more than 63 areas of 256 GiB, so that some lines may "
                       "have been confused",
                       recording.process)});
    }
    if (flow->cut_short) AddCutShort(recording.process, collected);
  }
}

// Why the run has no end; empty if it has.
std::string WhyStopped(const Collected& collected) {
  const run::Ended& ended = collected.finished.ended;
  if (ended.interrupted) return "it was interrupted";
  if (ended.how == run::Ended::How::kTimedOut) return "it was ended after its timeout";
  if (ended.how == run::Ended::How::kSignalled) return "it " + ended.Failure();
  return "";
}

Result<Collected> CollectFromFlow(const CollectPlan& plan) {
  std::vector<CollectedFlow> flows;
  engine::EnginePlan engine_plan = plan.engine;
  engine_plan.virtual_pmu.emplace();
  engine_plan.virtual_pmu->make_sink = CollectFlows(plan, flows);
  engine_plan.virtual_pmu->sink_filter = FilterOf(plan);
  engine_plan.virtual_pmu->burst_chunks = plan.sampling.burst_chunks;
  engine_plan.virtual_pmu->burst_period = plan.sampling.burst_period;
  engine_plan.virtual_pmu->window_parts = plan.sampling.window_parts;
  engine_plan.virtual_pmu->window_period = plan.sampling.window_period;
  engine_plan.virtual_pmu->sample_instructions = plan.vector_instructions;
  TRY(auto run, engine::RunUnder(engine::Engine::kVirtual, plan.files, engine_plan));
  Collected collected = CollectedOf(std::move(run));
  TakeFlows(std::move(flows), collected);
  return collected;
}

Result<Collected> CollectFromStreams(const CollectPlan& plan) {
  if (plan.threads_apart || plan.vector_instructions != 0) {
    return Fail(ErrorKind::kUnsupported,
                "the source compiled has no separate threads and no basic-block vectors; use "
                "valgrind");
  }
  std::vector<StreamUse> streams;
  engine::EnginePlan engine_plan = plan.engine;
  engine_plan.virtual_pmu.emplace();
  engine_plan.virtual_pmu->read_streams = [&](const std::filesystem::path& directory,
                                              const std::atomic<bool>& ended) -> Result<void> {
    TRY(streams, CollectStreams(plan, directory, ended));
    return {};
  };
  TRY(auto run, engine::RunUnder(engine::Engine::kCompiled, plan.files, engine_plan));
  if (streams.empty()) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} has no stream of its accesses; build it with tare-cc --tare-blocks "
                            "--tare-stream",
                            plan.engine.program.path.filename().string()));
  }
  Collected collected = CollectedOf(std::move(run));
  for (std::size_t i = 0; i < collected.recordings.size(); ++i) {
    const auto found =
        std::ranges::find(streams, collected.recordings[i].process, &StreamUse::process);
    if (found == streams.end()) continue;
    collected.parts.push_back(
        JoinStream(*found, plan.grid, collected.recordings[i], collected.caveats));
    collected.parts.back().recording = i;
    const UseReader reader(found->model.memory(), plan.grid);
    collected.sampled_lines = std::min(collected.sampled_lines, reader.sampled_lines());
    collected.near_exact = collected.near_exact && reader.near_exact();
    if (found->cut_short) AddCutShort(found->process, collected);
    // The same stream must not be assigned to the program before or after an execve.
    streams.erase(found);
  }
  collected.caveats.push_back(
      {CaveatId::kIncomplete,
       "source compiled: code that was not built with --tare-stream, code fetches and branches are "
       "not in the signature"});
  return collected;
}

}  // namespace

model::Branching ReferencePredictor() {
  model::Branching branching;
  branching.direction = model::Direction::kTage;
  branching.entries = 2048;
  branching.history_bits = 200;
  branching.tables = 8;
  branching.target_entries = 4096;
  branching.target_ways = 4;
  branching.return_entries = 32;
  return branching;
}

Result<Collected> Collect(const CollectPlan& plan) {
  TRY(auto collected,
      plan.source == Source::kCompiled ? CollectFromStreams(plan) : CollectFromFlow(plan));
  collected.source = plan.source;
  collected.grid = plan.grid;
  if (const std::string why = WhyStopped(collected); !why.empty()) {
    collected.complete = false;
    collected.caveats.push_back(
        {CaveatId::kIncomplete,
         fmt::format("the program did not end by itself: {}; the run until then was collected",
                     why)});
  }
  // A child that still ran, or was killed, has a caveat already.
  if (std::ranges::any_of(collected.recordings, [](const format::Recording& recording) {
        return recording.state == TARE_WIRE_RUNNING;
      })) {
    collected.complete = false;
  }
  return collected;
}

}  // namespace tare::signature
