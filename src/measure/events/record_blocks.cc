// record_blocks.cc: the trace's file around one run under an engine.
#include "measure/events/record_blocks.h"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <system_error>
#include <utility>

#include "measure/events/step_recorder.h"
#include "measure/events/stream_recorder.h"

namespace tare::events {

namespace {

engine::Engine EngineOf(BlockSource source) {
  switch (source) {
    case BlockSource::kQemu:
      return engine::Engine::kQemu;
    case BlockSource::kCompiled:
      return engine::Engine::kCompiled;
    case BlockSource::kStep:
      return engine::Engine::kStep;
    case BlockSource::kValgrind:
      break;
  }
  return engine::Engine::kVirtual;
}

// Blocks, threads and child processes for which an engine had no room.
void AddUnrecorded(const engine::EngineRun& run, format::EventTraceWriter& writer) {
  for (const format::Recording& recording : run.recordings) {
    writer.AddLost(recording.lost_blocks + recording.lost_threads + recording.lost_children,
                   "the engine had no room for some blocks, threads or child processes");
  }
}

}  // namespace

void RemoveEmpty(const std::filesystem::path& trace) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(trace, ignored)) std::filesystem::remove(trace, ignored);
}

Result<Recorded> RecordBlocks(const BlockPlan& plan) {
  const bool compiled = plan.source == BlockSource::kCompiled;
  const engine::Engine engine = EngineOf(plan.source);
  TRY_VOID(engine::CanRun(engine, plan.files));
  TRY(auto writer, format::EventTraceWriter::Create(plan.output, plan.head));
  TraceBuilder builder(writer, plan.sampling);
  std::optional<TraceTotals> totals;
  if (plan.summarize) {
    totals.emplace(plan.head, writer.tables(), *plan.summarize);
    writer.OnFlush(
        [&](const format::BlockBatch& written, std::span<const format::TimedEvent> timed) {
          totals->Take(written, timed);
        });
  }
  SystemEvents system(plan.system, MonotonicNs());
  builder.TakeFrom(system);
  RecordedBlocks blocks;
  engine::EnginePlan engine_plan = plan.engine;
  std::atomic<std::uint64_t> root = 0;
  engine_plan.before_exec = [&](pid_t process) {
    // Inside a PID namespace the program has the PID that was asked for.
    root = static_cast<std::uint64_t>(plan.engine.setting.process_id.value_or(process));
    system.Open(process, writer.tables());
  };
  const IsRecorded is_recorded = [&](std::uint64_t process) {
    return plan.engine.children || process == root;
  };
  if (plan.source == BlockSource::kStep) {
    engine_plan.on_step = RecordSteps(builder, plan.content, blocks);
  } else if (compiled) {
    engine_plan.virtual_pmu.emplace();
    engine_plan.virtual_pmu->needs_counters = false;
    // Such a program is quicker than the reading and the encoding of its blocks.
    writer.EncodeBeside();
    engine_plan.virtual_pmu->read_streams = [&](const std::filesystem::path& directory,
                                                const std::atomic<bool>& ended) {
      return RecordStreams(directory, ended, plan.content, builder, is_recorded);
    };
  } else {
    engine_plan.virtual_pmu.emplace();
    engine_plan.virtual_pmu->make_sink = RecordFlows(builder, plan.content, blocks, is_recorded);
  }
  auto made = engine::RunUnder(engine, plan.files, engine_plan);
  if (!made) {
    if (writer.Blocks() == 0) RemoveEmpty(plan.output);
    return std::unexpected(made.error());
  }
  engine::EngineRun& run = *made;
  NameRecorded(run.recordings, blocks, builder);
  builder.Finish();
  AddUnrecorded(run, writer);
  if (compiled && writer.Blocks() == 0) {
    RemoveEmpty(plan.output);
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} has no stream of its blocks; build it with tare-cc "
                            "--tare-stream=blocks, or use --by valgrind",
                            plan.engine.program.path.filename().string()));
  }
  Recorded recorded;
  recorded.finished = std::move(run.finished);
  recorded.caveats = std::move(run.caveats);
  if (engine::WasReplaced(run))
    recorded.caveats.push_back(
        {CaveatId::kExecNotFollowed, plan.source == BlockSource::kQemu
                                         ? "qemu cannot follow it; use --by valgrind --children"
                                         : ""});
  format::EventTraceEnd end;
  end.exit_status = static_cast<std::uint64_t>(recorded.finished.ended.ShellStatus());
  end.wall_ns = static_cast<std::uint64_t>(recorded.finished.wall_seconds * 1e9);
  recorded.blocks = writer.Blocks();
  recorded.timed = writer.Timed();
  if (totals && plan.head.sample_period == 0) {
    writer.Flush();
    writer.SetTotals(totals->Blocks());
  }
  TRY_VOID(writer.Close(end));
  recorded.bytes = writer.Bytes();
  if (totals) recorded.summary = totals->Finish(writer.Outcome());
  return recorded;
}

}  // namespace tare::events
