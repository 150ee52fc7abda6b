// record_blocks.cc: the trace's file around one run under an engine.
#include "measure/events/record_blocks.h"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include <utility>

#include "measure/events/step_recorder.h"
#include "measure/events/stream_recorder.h"

namespace tare::events {

void RemoveEmpty(const std::filesystem::path& trace) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(trace, ignored)) std::filesystem::remove(trace, ignored);
}

Result<Recorded> RecordBlocks(const BlockPlan& plan) {
  const bool compiled = plan.source == BlockSource::kCompiled;
  const auto engine = compiled                            ? engine::Engine::kCompiled
                      : plan.source == BlockSource::kStep ? engine::Engine::kStep
                                                          : engine::Engine::kVirtual;
  TRY_VOID(engine::CanRun(engine, plan.files));
  TRY(auto writer, format::EventTraceWriter::Create(plan.output, plan.head));
  TraceBuilder builder(writer, plan.sampling);
  RecordedBlocks blocks;
  engine::EnginePlan engine_plan = plan.engine;
  if (plan.source == BlockSource::kStep) {
    engine_plan.on_step = RecordSteps(builder, plan.content, blocks);
  } else if (compiled) {
    engine_plan.virtual_pmu.emplace();
    engine_plan.virtual_pmu->read_streams = [&](const std::filesystem::path& directory,
                                                const std::atomic<bool>& ended) {
      return RecordStreams(directory, ended, plan.content, builder);
    };
  } else {
    engine_plan.virtual_pmu.emplace();
    engine_plan.virtual_pmu->make_sink = RecordFlows(builder, plan.content, blocks);
  }
  auto made = engine::RunUnder(engine, plan.files, engine_plan);
  if (!made) {
    if (writer.Blocks() == 0) RemoveEmpty(plan.output);
    return std::unexpected(made.error());
  }
  engine::EngineRun& run = *made;
  NameRecorded(run.recordings, blocks, builder);
  builder.Finish();
  if (compiled && writer.Blocks() == 0) {
    RemoveEmpty(plan.output);
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} has no stream of its blocks; build it with tare-cc --tare-blocks "
                            "--tare-stream, or use --by valgrind",
                            plan.engine.program.path.filename().string()));
  }
  Recorded recorded;
  recorded.finished = std::move(run.finished);
  recorded.caveats = std::move(run.caveats);
  format::EventTraceEnd end;
  end.exit_status = static_cast<std::uint64_t>(recorded.finished.ended.ShellStatus());
  end.wall_ns = static_cast<std::uint64_t>(recorded.finished.wall_seconds * 1e9);
  recorded.blocks = writer.Blocks();
  TRY_VOID(writer.Close(end));
  recorded.bytes = writer.Bytes();
  return recorded;
}

}  // namespace tare::events
