// events_record.cc: `tare events record`: runs a program and records its events.
#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/printable.h"
#include "cli/application.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/events/events_options.h"
#include "cli/commands/events/events_tables.h"
#include "cli/cut_short.h"
#include "cli/program_options.h"
#include "cli/provenance.h"
#include "cli/result_files.h"
#include "measure/events/record_blocks.h"
#include "measure/events/record_source.h"
#include "measure/events/trace_consumer.h"

namespace tare::cli {
namespace {

struct EventsRecordOptions : ProgramOptions {
  std::string output;
  std::string to;
  std::string by;
  std::string content = "blocks";
  std::string encoding;  // empty: by the source
  std::string clock = "fine";
  std::string sample;
  std::vector<std::string> system;
  bool children = false;
  bool verbose = false;
};

constexpr auto kEventsBy =
    std::to_array<std::string_view>({"source", "valgrind", "qemu", "compiled", "step"});
constexpr auto kEventsContent =
    std::to_array<std::string_view>({"blocks", "instructions", "addresses"});
constexpr auto kEventsEncoding = std::to_array<std::string_view>({"abstract", "predicted", "full"});
constexpr auto kEventsSystem =
    std::to_array<std::string_view>({"faults", "switches", "disk", "all"});
constexpr auto kEventsClocks = std::to_array<std::string_view>({"fine", "monotonic", "coarse"});

constexpr double kEventsConfidence = 0.95;

const std::vector<Flag<EventsRecordOptions>> kEventsRecordFlags =
    WithProgramFlags<EventsRecordOptions>({
        {{"-o,--output", "FILE", "write the trace to FILE"}, &EventsRecordOptions::output},
        {{"--to", "COMMAND",
          "store nothing: pass the trace to a shell command, which reads it from its standard "
          "input while the program runs"},
         &EventsRecordOptions::to},
        {{"--by", "HOW",
          "source: events of tare/events.h; valgrind, qemu: blocks of any program; compiled: "
          "blocks of a program built by tare-cc --tare-stream; step: every instruction, by "
          "single-stepping on the real processor, thousands of times slower (default: source if "
          "the program has such events, otherwise valgrind)",
          kEventsBy},
         &EventsRecordOptions::by},
        {{"--content", "WHAT",
          "blocks; instructions: blocks with their code; addresses: blocks with code and memory "
          "accesses (default: blocks)",
          kEventsContent},
         &EventsRecordOptions::content},
        {{"--encoding", "HOW",
          "abstract: store only the outcomes of branches; predicted: quicker, and larger; full: "
          "store every block (default: predicted with --by compiled, otherwise abstract)",
          kEventsEncoding},
         &EventsRecordOptions::encoding},
        {{"--clock", "WHICH",
          "clock of spans: fine: the processor's counter; monotonic: CLOCK_MONOTONIC; coarse: "
          "CLOCK_MONOTONIC_COARSE (default: fine)",
          kEventsClocks},
         &EventsRecordOptions::clock},
        {{"--sample", "K/P", "keep K consecutive blocks of every P"}, &EventsRecordOptions::sample},
        {{"--system", "LIST",
          "also record what the kernel does to the program: faults: page faults with addresses; "
          "switches: context switches; disk: disk requests; or all (default: none)",
          kEventsSystem},
         &EventsRecordOptions::system},
        {{"--children", "", "record child processes and programs started by execve too"},
         &EventsRecordOptions::children},
        {{"-v,--verbose", "", "show all rows"}, &EventsRecordOptions::verbose},
    });

constexpr std::array kEventsRecordExamples = {
    Example{"tare events record -o sort.events -- sort words", "every executed block"},
    Example{"tare events record --content addresses -o a.events -- ./program",
            "blocks and memory accesses"},
    Example{"tare events record --by source -o work.events -- ./work",
            "spans and events of the program's own source"},
    Example{"tare events record --sample 2000/40000 -o part.events -- ./program",
            "5 % of the blocks, 2000 at a time"},
    Example{"tare events record --by source --system all -o work.events -- ./work",
            "page faults, context switches and disk requests beside them"},
    Example{"tare events record --by compiled -o blocks.events -- ./program",
            "a program built by tare-cc --tare-stream=blocks, a few times slower than native"},
    Example{"tare events record --to 'tare events show -' -- ./program",
            "a summary, without storing the trace"},
};

Result<void> CheckRecordOptions(const EventsRecordOptions& options, const Session& session) {
  if (session.program.empty()) return ProgramMissing("events record");
  if (options.output.empty() == options.to.empty()) {
    return Fail(ErrorKind::kUsage, options.to.empty()
                                       ? "name the file of the trace with -o FILE"
                                       : "name either -o FILE or --to COMMAND, not both");
  }
  if (options.to.empty()) TRY_VOID(CheckDirectory(options.output));
  if (options.by == "qemu" && options.content == "addresses")
    return Fail(ErrorKind::kUnsupported, "--by qemu does not see addresses; use --by valgrind");
  if (options.by == "step" && options.content == "addresses")
    return Fail(ErrorKind::kUnsupported, "--by step does not see addresses; use --by valgrind");
  if (options.by == "source" && (!options.sample.empty() || options.content != "blocks"))
    return Fail(ErrorKind::kUsage, "--sample and --content are for blocks; --by source has none");
  if (options.by == "compiled" && options.content == "instructions")
    return Fail(ErrorKind::kUnsupported,
                "--by compiled does not see instructions; use --by valgrind");
  return {};
}

events::Content ContentOf(const EventsRecordOptions& options) {
  if (options.content == "addresses") return events::Content::kAddresses;
  return options.content == "instructions" ? events::Content::kInstructions
                                           : events::Content::kBlocks;
}

format::TraceEncoding EncodingOf(const EventsRecordOptions& options) {
  if (options.encoding == "full") return format::TraceEncoding::kFull;
  const bool quick = options.encoding.empty() && options.by == "compiled";
  return quick || options.encoding == "predicted" ? format::TraceEncoding::kPredicted
                                                  : format::TraceEncoding::kAbstract;
}

Result<events::Recorded> RecordBlocksBy(const EventsRecordOptions& options,
                                        const ReadyProgram& ready, const Session& session,
                                        const std::filesystem::path& output,
                                        format::EventTraceHead head) {
  events::BlockPlan plan;
  plan.source = options.by == "compiled" ? events::BlockSource::kCompiled
                : options.by == "step"   ? events::BlockSource::kStep
                : options.by == "qemu"   ? events::BlockSource::kQemu
                                         : events::BlockSource::kValgrind;
  plan.content = ContentOf(options);
  plan.files = host::FindEngineFiles();
  plan.engine = EnginePlanOf(options, ready, session);
  if (!options.sample.empty()) {
    TRY(plan.sampling, ParseSampling(options.sample));
    head.sample_kept = plan.sampling.kept;
    head.sample_period = plan.sampling.period;
  }
  if (!options.system.empty()) {
    TRY(plan.system, events::ParseSystemKinds(options.system));
    head.clock = "monotonic";
  }
  head.source = options.by.empty() ? "valgrind" : options.by;
  head.content = options.content;
  head.encoding = EncodingOf(options);
  plan.head = std::move(head);
  plan.output = output;
  if (options.to.empty()) plan.summarize = kEventsConfidence;
  return events::RecordBlocks(plan);
}

Result<events::Recorded> RecordSourceBy(const EventsRecordOptions& options,
                                        const ReadyProgram& ready, const Session& session,
                                        const std::filesystem::path& output,
                                        format::EventTraceHead head) {
  events::SourcePlan plan;
  plan.program = ready.program;
  plan.setting = ready.setting;
  plan.clock = options.clock == "coarse"      ? events::SourceClock::kCoarse
               : options.clock == "monotonic" ? events::SourceClock::kMonotonic
                                              : events::SourceClock::kFine;
  plan.interrupted = session.interrupted;
  if (!options.system.empty()) {
    TRY(plan.system, events::ParseSystemKinds(options.system));
  }
  head.source = "source";
  head.content = "events";
  plan.head = std::move(head);
  plan.output = output;
  return events::RecordSource(plan);
}

Result<Outcome> RunEventsRecord(const EventsRecordOptions& options, Session& session) {
  TRY_VOID(CheckRecordOptions(options, session));
  if (!options.sample.empty()) TRY_VOID(ParseSampling(options.sample));
  if (!options.system.empty()) TRY_VOID(events::ParseSystemKinds(options.system));
  TRY(const auto ready, Prepare(options, session, InputUse::kOneRun));
  format::EventTraceHead head;
  head.program = run::GivenPath(ready.program).string();
  head.command = session.program;
  head.machine = ThisMachine().machine;
  head.time = TimeNow();
  head.version = std::string(Version());
  const bool by_source = options.by == "source" ||
                         (options.by.empty() && events::HasSourceEvents(ready.program.path) &&
                          options.sample.empty() && options.content == "blocks");
  std::optional<events::TraceConsumer> consumer;
  std::filesystem::path output = options.output;
  if (!options.to.empty()) {
    TRY(auto started, events::TraceConsumer::Start(options.to, session.machine_readable));
    consumer.emplace(std::move(started));
    output = consumer->Input();
  }
  const auto result = by_source ? RecordSourceBy(options, ready, session, output, std::move(head))
                                : RecordBlocksBy(options, ready, session, output, std::move(head));
  if (!result && consumer && result.error().kind == ErrorKind::kIo) {
    return Fail(ErrorKind::kIo, fmt::format("'{}' did not read the whole trace: {}",
                                            Printable(options.to), result.error().message));
  }
  TRY(const auto& recorded, result);
  const int consumed = consumer ? consumer->Wait() : 0;
  std::optional<events::TraceSummary> summary = recorded.summary;
  if (!consumer && !summary) {
    TRY(summary, events::Summarize(options.output, kEventsConfidence));
  }
  const auto make = [&](bool all) -> Result<report::Document> {
    report::Document document;
    document.title = fmt::format("Event trace of {}", run::ShownName(ready.program));
    if (summary) {
      EventsView view;
      view.top = options.verbose || all ? 0 : 10;
      view.replaced = IsReplaced(recorded.caveats);
      ShowTrace(*summary, options.output, view, document);
    } else {
      ShowPassedOn(recorded, options.to, consumed, document);
    }
    AddCaveats(document, recorded.caveats);
    AddCaveats(document, recorded.finished.caveats);
    AddCaveats(document, WhyCutShort(recorded.finished.ended));
    StateDroppedControl(document);
    AddSettings(document, ready.setting);
    return document;
  };
  TRY(Outcome outcome, MakeOutcome(session, make));
  outcome.beside_program = true;
  outcome.exit_status = recorded.finished.ended.ShellStatus();
  if (!by_source && options.by != "compiled") {
    outcome.sources = {options.by.empty() || options.by == "source" ? "valgrind" : options.by};
    outcome.needed_events = {"instructions"};
    if (options.content == "addresses")
      outcome.needed_events.insert(outcome.needed_events.end(), {"loads", "stores"});
  }
  return outcome;
}

}  // namespace

Command EventsRecordCommand() {
  return MakeCommand<EventsRecordOptions>(
      {"events record", "run a program and record its events in order",
       "Runs the program once and writes an event trace: every executed block, with the memory "
       "that it accesses on request, or the spans, events and values that the program's source "
       "marks with tare/events.h. By default a trace of blocks stores only the outcomes of "
       "branches; tare events expand regenerates every block.\n\n"
       "The trace can be read while it grows, and up to its last complete chunk if the program or "
       "tare is killed.\n\n"
       "The program's output is passed on, and the report goes to standard error. With --json, "
       "--csv or --markdown the report goes to standard output, and the program's output is "
       "discarded. The exit status is that of the program.",
       kEventsRecordExamples, true},
      kEventsRecordFlags, RunEventsRecord);
}

}  // namespace tare::cli
