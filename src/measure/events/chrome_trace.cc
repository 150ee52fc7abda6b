// chrome_trace.cc: the JSON array format: an object per step.
#include "measure/events/chrome_trace.h"

#include <fmt/format.h>

#include <span>
#include <string>

#include "base/file.h"
#include "base/json_writer.h"
#include "format/event_reader.h"
#include "format/growing_file.h"
#include "measure/events/timeline_steps.h"

namespace tare::events {
namespace {

constexpr std::size_t kPart = 4u << 20;

char PhaseOf(StepKind kind) {
  switch (kind) {
    case StepKind::kEnter:
      return 'B';
    case StepKind::kLeave:
      return 'E';
    case StepKind::kValue:
      return 'C';
    case StepKind::kInstant:
      break;
  }
  return 'i';
}

}  // namespace

Result<std::uint64_t> WriteChromeTrace(const std::filesystem::path& from,
                                       const std::filesystem::path& to, bool correct) {
  TRY(auto reader, format::EventTraceReader::Open(from));
  reader.SkipBlocks();
  while (reader.Next()) continue;
  const auto& threads = reader.Tables().threads;
  TRY(auto file, format::GrowingFile::Create(to));
  std::string text = "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n";
  std::uint64_t written = 0;
  Result<void> status;
  TRY_VOID(ForEachStep(from, correct, [&](const TimelineStep& step) {
    if (!status || written >= kMaxChromeEvents) {
      ++written;
      return;
    }
    const bool known = step.thread < threads.size();
    JsonWriter json;
    json.Raw(written++ == 0 ? "{" : ",\n{");
    json.TextField("name", step.name);
    json.TextField("ph", std::string(1, PhaseOf(step.kind)));
    json.Key("ts");
    json.Raw(fmt::format("{}.{:03}", step.time_ns / 1000, step.time_ns % 1000));
    json.WholeField("pid", known ? threads[step.thread].process : 0);
    json.WholeField("tid", known ? threads[step.thread].thread : 0);
    if (step.kind == StepKind::kInstant) json.TextField("s", "t");
    if (step.kind == StepKind::kValue || step.of_system)
      json.Raw(fmt::format(", \"args\": {{\"value\": {}}}", step.value));
    json.Raw("}");
    text += json.Take();
    if (text.size() < kPart) return;
    status = file.Append(std::as_bytes(std::span(text.data(), text.size())), 0);
    text.clear();
  }));
  TRY_VOID(status);
  if (written > kMaxChromeEvents) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("the trace has {} steps, and viewers take at most {}; sample it first "
                            "(tare events sample)",
                            written, kMaxChromeEvents));
  }
  text += "\n]}\n";
  TRY_VOID(file.Append(std::as_bytes(std::span(text.data(), text.size())), 0));
  TRY_VOID(file.Appear());
  TRY_VOID(file.Finish());
  return written;
}

}  // namespace tare::events
