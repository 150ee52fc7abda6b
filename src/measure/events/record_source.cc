// record_source.cc: starts the program with a directory for its buffers, and reads them meanwhile.
#include "measure/events/record_source.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <thread>
#include <utility>

#include "base/file.h"
#include "base/private_directory.h"
#include "binary/elf/elf_image.h"
#include "format/event_writer.h"
#include "format/source_events_wire.h"
#include "machine/clock/clock.h"
#include "measure/engine/virtual_engine.h"
#include "measure/events/event_cost.h"
#include "measure/events/source_reader.h"

namespace tare::events {
namespace {

std::uint64_t CoarseNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

std::uint64_t ReadFine() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  std::uint64_t count = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#endif
}

std::uint64_t ReadClock(SourceClock clock) {
  if (clock == SourceClock::kFine) return ReadFine();
  return clock == SourceClock::kCoarse ? CoarseNs() : MonotonicNs();
}

Result<double> TickOf(SourceClock clock) {
  if (clock != SourceClock::kFine) return 1.0;
#if defined(__x86_64__)
  const clock::ClockId id = clock::ClockId::kRdtsc;
#else
  const clock::ClockId id = clock::ClockId::kCntvct;
#endif
  TRY(const auto period, clock::MeasureTickPeriod(clock::Row(id), 0.95));
  return period.Value() * 1e9;
}

std::string ClockName(SourceClock clock) {
  if (clock == SourceClock::kCoarse) return "coarse";
  if (clock == SourceClock::kMonotonic) return "monotonic";
#if defined(__x86_64__)
  return "tsc";
#else
  return "cntvct";
#endif
}

}  // namespace

bool HasSourceEvents(const std::filesystem::path& program) {
  const auto bytes = ReadFile(program, std::uint64_t{1} << 30);
  return bytes && bytes->contains("TARE_EVENTS_DIRECTORY");
}

Result<Recorded> RecordSource(const SourcePlan& plan) {
  TRY(const double tick_ns, TickOf(plan.clock));
  format::EventTraceHead head = plan.head;
  head.clock = ClockName(plan.clock);
  TRY(const auto costs, CalibrateEvents(static_cast<unsigned>(plan.clock), tick_ns));
  head.event_cost = costs.event;
  head.span_cost = costs.span;
  head.inner_cost = costs.inside;
  if (plan.clock == SourceClock::kCoarse) {
    timespec tick{};
    clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
    head.tick_ns = static_cast<std::uint64_t>(tick.tv_nsec);
  }
  TRY(const auto directory, PrivateDirectory::Make());
  TRY(auto writer, format::EventTraceWriter::Create(plan.output, head));
  const std::uint64_t start_ns = MonotonicNs();
  SourceReader reader(directory.path(), tick_ns, start_ns, writer);
  SystemEvents system(plan.system, start_ns);
  run::Setting setting = plan.setting;
  setting.environment.set.emplace_back(TARE_SOURCE_VARIABLE, directory.path().string());
  setting.environment.set.emplace_back(TARE_SOURCE_CLOCK_VARIABLE,
                                       std::to_string(static_cast<unsigned>(plan.clock)));
  std::atomic<bool> ended = false;
  std::thread thread;
  run::Hooks hooks;
  hooks.interrupted = plan.interrupted;
  // No thread may run while the program's process is forked.
  hooks.before_exec = [&](pid_t process) -> Result<void> {
    system.Open(process, writer.tables());
    const auto read = [&] {
      while (!ended.load(std::memory_order_acquire)) {
        // Read before the events, all of which are then later or were timed just before.
        const std::uint64_t now = ReadClock(plan.clock);
        if (reader.Take(now) == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
        system.Take(writer);
        writer.FlushIfDue(MonotonicNs());
      }
    };
    TRY(thread, engine::StartBeside(setting.core, read));
    return {};
  };
  auto finished = run::RunProgram(plan.program, setting, hooks);
  ended.store(true, std::memory_order_release);
  if (thread.joinable()) thread.join();
  if (!finished) {
    if (writer.Timed() == 0) RemoveEmpty(plan.output);
    return std::unexpected(finished.error());
  }
  reader.Finish();
  if (writer.Timed() == 0 && !plan.system.Any() && !HasSourceEvents(plan.program.path)) {
    RemoveEmpty(plan.output);
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} made no events; build it with tare/events.h, or use --by valgrind",
                            plan.program.path.filename().string()));
  }
  system.Take(writer, true);
  Recorded recorded;
  format::EventTraceEnd end;
  end.exit_status = static_cast<std::uint64_t>(finished->ended.ShellStatus());
  end.wall_ns = static_cast<std::uint64_t>(finished->wall_seconds * 1e9);
  recorded.finished = std::move(*finished);
  recorded.timed = writer.Timed();
  TRY_VOID(writer.Close(end));
  recorded.bytes = writer.Bytes();
  return recorded;
}

}  // namespace tare::events
