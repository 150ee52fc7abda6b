// events_convert.cc: `tare events expand`, `compress`, `sample` and `export`.
#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/grouped.h"
#include "base/printable.h"
#include "base/units.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/events/events_options.h"
#include "cli/commands/events/events_tables.h"
#include "cli/result_files.h"
#include "measure/events/chrome_trace.h"
#include "measure/events/convert_trace.h"
#include "measure/events/event_otf2.h"
#include "measure/events/sample_plan.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

struct EventsConvertOptions {
  std::string output;
  std::optional<std::int64_t> level;
  std::string method = "abstract";
  std::string sample;
  std::string chrome;
  std::string otf2;
  bool correct = false;
  bool plan = false;
  std::optional<double> error;
};

constexpr auto kEventsMethods = std::to_array<std::string_view>({"abstract", "predicted", "zstd"});

const auto kEventsExpandFlags = std::to_array<Flag<EventsConvertOptions>>({
    {{"-o,--output", "FILE", "write the expanded trace to FILE"}, &EventsConvertOptions::output},
    {{"--level", "N", "level of zstd, 1 to 19 (default: 3)"}, &EventsConvertOptions::level},
});
const auto kEventsCompressFlags = std::to_array<Flag<EventsConvertOptions>>({
    {{"-o,--output", "FILE", "write the compressed trace to FILE"}, &EventsConvertOptions::output},
    {{"--method", "HOW",
      "abstract: store only the outcomes of branches; predicted: quicker, and larger; zstd: store "
      "every block (default: abstract)",
      kEventsMethods},
     &EventsConvertOptions::method},
    {{"--level", "N", "level of zstd, 1 to 19 (default: 3)"}, &EventsConvertOptions::level},
});
const auto kEventsSampleFlags = std::to_array<Flag<EventsConvertOptions>>({
    {{"-o,--output", "FILE", "write the sample to FILE"}, &EventsConvertOptions::output},
    {{"--sample", "K/P", "keep K consecutive blocks of every P"}, &EventsConvertOptions::sample},
    {{"--plan", "", "choose K and P for this trace; write nothing"}, &EventsConvertOptions::plan},
    {{"--error", "PERCENT",
      "with --plan: half width of the interval of the largest share (default: 1)"},
     &EventsConvertOptions::error},
});
const auto kEventsExportFlags = std::to_array<Flag<EventsConvertOptions>>({
    {{"--chrome", "FILE", "write Chrome's trace JSON, for Perfetto and speedscope"},
     &EventsConvertOptions::chrome},
    {{"--otf2", "DIRECTORY", "write an OTF2 archive, for Vampir and otf2-print"},
     &EventsConvertOptions::otf2},
    {{"--correct", "", "take the calibrated cost of recording out of the times"},
     &EventsConvertOptions::correct},
});

constexpr std::array kEventsExpandExamples = {
    Example{"tare events expand -o full.events small.events", "regenerate every block"},
    Example{"tare events expand --level 19 -o full.events small.events", "compressed more slowly"},
};
constexpr std::array kEventsCompressExamples = {
    Example{"tare events compress -o small.events full.events", "by abstract execution"},
    Example{"tare events compress --method zstd --level 19 -o z.events full.events",
            "by Lempel-Ziv alone"},
};
constexpr std::array kEventsSampleExamples = {
    Example{"tare events sample --sample 2000/40000 -o part.events full.events",
            "5 % of the blocks, 2000 at a time"},
    Example{"tare events sample --plan full.events", "which K and P suffice"},
};
constexpr std::array kEventsExportExamples = {
    Example{"tare events export --chrome work.json work.events", "a file for Perfetto"},
    Example{"tare events export --otf2 work.otf2 --correct work.events",
            "an OTF2 archive without the cost of recording"},
};

Result<int> LevelOf(const EventsConvertOptions& options) {
  const std::int64_t level = options.level.value_or(3);
  if (level >= 1 && level <= 19) return static_cast<int>(level);
  return Fail(ErrorKind::kUsage, fmt::format("--level {}: expected 1 to 19", level));
}

std::string ConvertedBytes(std::uint64_t bytes) {
  const auto value = static_cast<double>(bytes);
  const ScaledUnit unit = ReadableUnit(value, "B");
  return fmt::format("{} {}", report::ShowRounded(value * unit.factor, 3), unit.symbol);
}

Result<Outcome> ConvertTo(const EventsConvertOptions& options, const events::ConvertPlan& plan,
                          const Session& session) {
  if (options.output.empty()) return Fail(ErrorKind::kUsage, "name the file to write with -o FILE");
  TRY_VOID(CheckDirectory(options.output));
  TRY(const auto made, events::Convert(session.operands.front(), options.output, plan));
  Outcome outcome;
  report::Document& document = outcome.document;
  document.title = fmt::format("Event trace {}", Printable(options.output));
  const double ratio =
      made.to_bytes == 0 ? 0
                         : static_cast<double>(made.raw_bytes) / static_cast<double>(made.to_bytes);
  document.blocks.emplace_back(report::Text{
      "answer", fmt::format("Wrote {} events to {}: {}, {} times smaller than uncompressed.",
                            Grouped(made.blocks + made.timed), Printable(options.output),
                            ConvertedBytes(made.to_bytes), report::ShowRounded(ratio, 3))});
  report::Table table{"summary", "Sizes", {{"what"}, {"value"}}, {}};
  table.rows.push_back({std::string("encoding"), std::string(format::Name(made.encoding))});
  table.rows.push_back({std::string("events"), Count(made.blocks + made.timed)});
  table.rows.push_back({std::string("raw bytes"), WithUnit("B", Count(made.raw_bytes))});
  table.rows.push_back({std::string("bytes before"), WithUnit("B", Count(made.from_bytes))});
  table.rows.push_back({std::string("bytes"), WithUnit("B", Count(made.to_bytes))});
  table.rows.push_back({std::string("smaller by"), Unbounded(ratio)});
  document.blocks.emplace_back(std::move(table));
  if (!made.outcome.complete)
    AddCaveats(document,
               std::vector<Caveat>{{CaveatId::kIncomplete, Printable(made.outcome.reason)}});
  return outcome;
}

Result<Outcome> RunEventsExpand(const EventsConvertOptions& options, Session& session) {
  events::ConvertPlan plan;
  TRY(plan.level, LevelOf(options));
  return ConvertTo(options, plan, session);
}

Result<Outcome> RunEventsCompress(const EventsConvertOptions& options, Session& session) {
  events::ConvertPlan plan;
  TRY(plan.level, LevelOf(options));
  plan.encoding = options.method == "zstd"        ? format::TraceEncoding::kFull
                  : options.method == "predicted" ? format::TraceEncoding::kPredicted
                                                  : format::TraceEncoding::kAbstract;
  return ConvertTo(options, plan, session);
}

Result<Outcome> RunEventsSample(const EventsConvertOptions& options, Session& session) {
  if (options.plan) {
    const double error = options.error.value_or(1);
    if (!(error > 0 && error < 100))
      return Fail(ErrorKind::kUsage, fmt::format("--error {}: expected 0 to 100 percent", error));
    TRY(const auto planned, events::PlanSample(session.operands.front(), error / 100));
    Outcome outcome;
    outcome.document.title = "Plan of a sample";
    outcome.document.blocks.emplace_back(report::Text{
        "answer",
        planned.kept == 0
            ? std::string("No sample reaches this error; keep the whole trace.")
            : fmt::format(
                  "--sample {}/{} keeps {} % of the blocks; the largest share is then known "
                  "to about {} percentage points.",
                  planned.kept, planned.period,
                  report::ShowRounded(
                      100 * static_cast<double>(planned.kept) / static_cast<double>(planned.period),
                      3),
                  report::ShowRounded(100 * planned.error, 2))});
    report::Table table{
        "plan", "Samples that were tried", {{"kept"}, {"period"}, {"samples"}, {"error", "%"}}, {}};
    for (const auto& row : planned.tried)
      table.rows.push_back(
          {Count(row.kept), Count(row.period), Count(row.samples), Unbounded(100 * row.error)});
    outcome.document.blocks.emplace_back(std::move(table));
    return outcome;
  }
  events::ConvertPlan plan;
  if (options.sample.empty()) return Fail(ErrorKind::kUsage, "name the sample with --sample K/P");
  TRY(plan.sampling, ParseSampling(options.sample));
  plan.encoding.reset();
  return ConvertTo(options, plan, session);
}

Result<Outcome> RunEventsExport(const EventsConvertOptions& options, Session& session) {
  if (options.chrome.empty() && options.otf2.empty())
    return Fail(ErrorKind::kUsage, "name what to write: --chrome FILE or --otf2 DIRECTORY");
  const std::string& file = session.operands.front();
  Outcome outcome;
  outcome.document.title = fmt::format("Exports of {}", Printable(file));
  std::string said;
  if (!options.chrome.empty()) {
    TRY_VOID(CheckDirectory(options.chrome));
    TRY(const auto written, events::WriteChromeTrace(file, options.chrome, options.correct));
    said += fmt::format("Wrote {} events to {}.", Grouped(written), Printable(options.chrome));
  }
  if (!options.otf2.empty()) {
    TRY(const auto written, events::WriteEventsOtf2(file, options.otf2, options.correct));
    said += fmt::format("{}Wrote {} events to {}/traces.otf2.", said.empty() ? "" : " ",
                        Grouped(written), Printable(options.otf2));
  }
  outcome.document.blocks.emplace_back(report::Text{"answer", said});
  return outcome;
}

}  // namespace

Command EventsExpandCommand() {
  return MakeCommand<EventsConvertOptions>(
      {"events expand",
       "regenerate every block of a compressed trace",
       "Writes a trace in which every executed block is stored. What abstract execution left out "
       "is "
       "regenerated; the result is identical, event by event, to a trace that was recorded in "
       "full.",
       kEventsExpandExamples,
       false,
       {"FILE", 1, 1}},
      kEventsExpandFlags, RunEventsExpand);
}

Command EventsCompressCommand() {
  return MakeCommand<EventsConvertOptions>(
      {"events compress",
       "make a trace smaller without losing an event",
       "Writes a trace that stores only what cannot be derived: the outcomes of conditional "
       "branches, the targets of indirect jumps, and addresses that do not follow a pattern. With "
       "--method predicted it stores what the last blocks did not predict, which is quicker to "
       "write "
       "and to read; with --method zstd every block, compressed by Lempel-Ziv.",
       kEventsCompressExamples,
       false,
       {"FILE", 1, 1}},
      kEventsCompressFlags, RunEventsCompress);
}

Command EventsSampleCommand() {
  return MakeCommand<EventsConvertOptions>(
      {"events sample",
       "keep some consecutive blocks of every so many",
       "Keeps K consecutive blocks at the start of every P blocks. What is computed from a sample "
       "has an interval. --plan tries several K and P on the trace and chooses the smallest sample "
       "that knows the largest function's share well enough.",
       kEventsSampleExamples,
       false,
       {"FILE", 1, 1}},
      kEventsSampleFlags, RunEventsSample);
}

Command EventsExportCommand() {
  return MakeCommand<EventsConvertOptions>(
      {"events export",
       "write a trace for other tools",
       "Writes Chrome's trace JSON or an OTF2 archive. Spans and events keep their times. Blocks "
       "have no times: consecutive blocks of a function become one span, and an instruction takes "
       "a nanosecond.",
       kEventsExportExamples,
       false,
       {"FILE", 1, 1}},
      kEventsExportFlags, RunEventsExport);
}

}  // namespace tare::cli
