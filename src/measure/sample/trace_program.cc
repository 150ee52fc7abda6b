// trace_program.cc: from the request to the sealed trace file.
#include "measure/sample/trace_program.h"

#include <fmt/format.h>
#include <signal.h>

#include <algorithm>
#include <memory>

#include "base/file.h"
#include "base/printable.h"
#include "base/private_directory.h"
#include "binary/elf/elf_file.h"
#include "format/series_thin.h"
#include "format/series_writer.h"
#include "measure/run/reference.h"
#include "measure/sample/energy_source.h"
#include "measure/sample/event_sources.h"
#include "measure/sample/instruction_trace.h"
#include "measure/sample/observer.h"
#include "measure/sample/process_sources.h"
#include "measure/sample/recorder.h"
#include "measure/sample/signal_reader.h"
#include "measure/sample/trace_facts.h"
#include "measure/sample/trace_file.h"

namespace tare::sample {
namespace {

// Ignores SIGXFSZ, so that exceeding RLIMIT_FSIZE is a write error (EFBIG) and does not end this
// process. Created after the program's process, which would inherit the disposition.
class LimitSignalIgnored {
 public:
  LimitSignalIgnored() {
    struct sigaction ignore{};
    ignore.sa_handler = SIG_IGN;
    ::sigaction(SIGXFSZ, &ignore, &before_);
  }
  ~LimitSignalIgnored() { ::sigaction(SIGXFSZ, &before_, nullptr); }
  LimitSignalIgnored(const LimitSignalIgnored&) = delete;
  LimitSignalIgnored& operator=(const LimitSignalIgnored&) = delete;

 private:
  struct sigaction before_{};
};

std::uint64_t AsNs(double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); }

class Tracing {
 public:
  Tracing(const TraceRequest& request, StartMark mark, std::filesystem::path directory)
      : request_(request),
        mark_(std::move(mark)),
        directory_(std::move(directory)),
        pace_(request.pace),
        timer_pace_(request.pace) {
    events_ = SelectEvents();
    if (request.sampler == Sampler::kSignal) {
      signal_events_ = SignalEvents(events_, request.events, request.selection, absent_events_);
    }
  }

  const StartMark& Mark() const { return mark_; }
  std::span<const SignalEvent> EventsOfSignal() const { return signal_events_; }

  // Call while the program's process exists and waits.
  Result<void> Begin(pid_t process) {
    ignored_.emplace();
    software_ =
        std::make_unique<SoftwareSource>(directory_, process, ScopeOf(), request_.selection);
    return request_.sampler == Sampler::kObserver ? BeginObserver(process) : BeginSignal();
  }

  // Call after the program has ended.
  std::optional<Error> Finish(const run::Finished& finished) {
    const std::uint64_t wall_ns = AsNs(finished.wall_seconds);
    EndFacts facts;
    AddEnding(finished.ended, facts);
    facts.wall_ns = wall_ns;
    facts.program_cpu_ns = AsNs(finished.use.user_seconds + finished.use.system_seconds);
    if (observer_) {
      observer_->Stop();
      recorder_->TakeEnd(wall_ns);
      facts.observer_cpu_ns = observer_->CpuNs();
      facts.taken = recorder_->Records();
      facts.reading_ns = recorder_->LongestReadingNs();
    } else {
      reader_->Stop();
      reader_->TakeEnd(wall_ns);
      facts.observer_cpu_ns = reader_->CpuNs();
      facts.handler_ns = reader_->HandlerNs();
      facts.lost_samples = reader_->LostSamples();
      facts.taken = reader_->Records();
      if (facts.taken > 0) facts.reading_ns = reader_->HandlerNs() / facts.taken;
    }
    AddSoftware(*software_, request_, std::move(names_), facts);
    format::SeriesEnd end;
    end.interval = observer_ ? pace_.IntervalNs() : timer_pace_.IntervalNs();
    end.missed = observer_ ? pace_.Missed() : timer_pace_.Missed();
    end.facts = ToFacts(facts);
    if (auto closed = writer_->Close(std::move(end)); !closed) return closed.error();
    return Thin();
  }

  // Call if the program was never started.
  void Abandon() {
    if (observer_) observer_->Stop();
    if (reader_) reader_->Stop();
    if (!writer_) return;
    writer_.reset();
    RemoveSeries(request_.file);
  }

 private:
  CounterScope ScopeOf() const {
    if (request_.sampler == Sampler::kSignal) return CounterScope::kProgram;
    return request_.children ? CounterScope::kTree : CounterScope::kProcess;
  }

  Result<void> BeginObserver(pid_t process) {
    const bool tree = request_.children;
    std::vector<Source> sources;
    TRY(auto kernel, OpenKernelEvents(process, events_, tree));
    TRY(auto hardware, HardwareSource(process, events_, tree));
    if (!tree && DropAbsent(kernel.source, "cpu-time")) {
      sources.push_back(ClockSource(process, mark_));
    }
    sources.push_back(ProcessSource(process, mark_, tree, kernel.at_end));
    sources.push_back(IoSource(process, mark_));
    sources.push_back(SwitchSource(process, mark_));
    if (tree) RefuseSwitches(sources.back());
    sources.push_back(std::move(kernel.source));
    sources.push_back(std::move(hardware));
    sources.push_back(EnergySource(host::SystemFiles{}));
    // Events that have a channel already are not counted twice.
    std::vector<pmu::ProgramEvent> events = request_.events;
    std::erase_if(events, [names = NamesOf(sources)](const pmu::ProgramEvent& event) {
      return std::ranges::find(names, event.name) != names.end();
    });
    if (!events.empty()) {
      TRY(auto requested, RequestedSource(process, events, events_.permissions, tree));
      sources.push_back(std::move(requested));
    }

    format::SeriesHead head = MakeHead(request_, pace_);
    AddToHead(sources, request_.selection, head);
    TRY_VOID(CheckSelection(request_, head, NamesOf(sources)));
    TRY_VOID(CreateFile(head));
    recorder_.emplace(std::move(sources), *software_, request_.selection, pace_, *writer_);
    TRY(observer_, Observer::Start(process, mark_, *recorder_));
    return {};
  }

  Result<void> BeginSignal() {
    format::SeriesHead head = MakeHead(request_, pace_);
    AddSignalChannels(request_.selection, signal_events_, head);
    head.absent.insert(head.absent.end(), absent_events_.begin(), absent_events_.end());
    TRY_VOID(CreateFile(head));
    TRY(reader_, SignalReader::Start(mark_, *software_, request_.selection, signal_events_.size(),
                                     timer_pace_, *writer_));
    return {};
  }

  static std::vector<std::string> NamesOf(const std::vector<Source>& sources) {
    std::vector<std::string> names;
    for (const Source& source : sources) {
      for (const format::Channel& channel : source.channels) names.push_back(channel.name);
    }
    return names;
  }

  // True if it was absent.
  static bool DropAbsent(Source& source, std::string_view name) {
    return std::erase_if(source.absent, [name](const format::AbsentChannel& absent) {
             return absent.name == name;
           }) > 0;
  }

  static void RefuseSwitches(Source& source) {
    for (const format::Channel& channel : source.channels) {
      source.absent.push_back(
          {channel.name, channel.group,
           "the kernel reports them only for single processes; context-switches is their sum"});
    }
    source.channels.clear();
  }

  Result<void> CreateFile(const format::SeriesHead& head) {
    for (const format::Channel& channel : head.channels) names_.push_back(channel.name);
    for (const format::AbsentChannel& absent : head.absent) names_.push_back(absent.name);
    TRY(auto writer, format::SeriesWriter::Create(request_.file, head));
    writer_.emplace(std::move(writer));
    return {};
  }

  std::optional<Error> Thin() const {
    Result<void> thinned;
    if (observer_) {
      thinned = ThinOut(request_.file, pace_);
    } else if (const auto kept = timer_pace_.Kept();
               !kept.empty() && IsRegularFile(request_.file)) {
      thinned = format::ThinSeries(request_.file, timer_pace_.IntervalNs(),
                                   [&kept](std::uint64_t record) { return kept.at(record); });
    }
    return thinned ? std::nullopt : std::optional(thinned.error());
  }

  const TraceRequest& request_;
  StartMark mark_;
  std::filesystem::path directory_;
  Pace pace_;             // for the observer
  TimerPace timer_pace_;  // for the signal sampler
  EventSelection events_;
  std::vector<SignalEvent> signal_events_;            // for the signal sampler
  std::vector<format::AbsentChannel> absent_events_;  // for the signal sampler
  std::optional<LimitSignalIgnored> ignored_;
  std::unique_ptr<SoftwareSource> software_;
  std::optional<format::SeriesWriter> writer_;
  std::vector<std::string> names_;  // of all channels, including absent ones
  std::optional<Recorder> recorder_;
  std::unique_ptr<Observer> observer_;
  std::unique_ptr<SignalReader> reader_;
};

Result<void> CheckSampler(const TraceRequest& request) {
  if (request.sampler != Sampler::kSignal) return {};
  if (request.children) {
    return Fail(ErrorKind::kUsage,
                "--sampler signal sees only one process; use --sampler observer with --children");
  }
  if (IsInstrumented(request.program.path)) return {};
  return Fail(ErrorKind::kUnsupported,
              fmt::format("{} was not built by tare-cc, so it contains no sampler; build it with "
                          "CC=tare-cc, or use --sampler observer",
                          Printable(request.program.path.string())));
}

Result<TraceRun> TraceOnce(const TraceRequest& request) {
  if (request.sampler == Sampler::kInstructions) return TraceInstructions(request);
  TRY_VOID(CheckSampler(request));
  TRY(const auto directory, PrivateDirectory::Make());
  TRY(auto mark, StartMark::Make());
  Tracing tracing(request, std::move(mark), directory.path());
  if (request.sampler == Sampler::kSignal) {
    TRY_VOID(WriteSampleRequest(directory.path(), Pace(request.pace).IntervalNs(),
                                tracing.EventsOfSignal()));
  }
  run::Setting setting = request.setting;
  setting.environment.set.emplace_back(TARE_RUN_VARIABLE, directory.path().string());
  run::Hooks hooks;
  hooks.in_program = [&tracing] { tracing.Mark().Set(); };
  hooks.before_exec = [&tracing](pid_t process) { return tracing.Begin(process); };
  hooks.interrupted = request.interrupted;
  auto finished = run::RunProgram(request.program, setting, hooks);
  if (!finished) {
    tracing.Abandon();
    return std::unexpected(std::move(finished).error());
  }
  TraceRun run;
  run.file_error = tracing.Finish(*finished);
  run.finished = std::move(*finished);
  return run;
}

}  // namespace

std::string_view Name(Sampler sampler) {
  switch (sampler) {
    case Sampler::kObserver:
      return "observer";
    case Sampler::kSignal:
      return "signal";
    case Sampler::kInstructions:
      return "instructions";
  }
  return "";
}

bool IsInstrumented(const std::filesystem::path& file) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30;
  const auto bytes = ReadFile(file, kMaxBytes);
  if (!bytes) return false;
  const auto elf = elf::ReadElfFile(std::as_bytes(std::span(*bytes)));
  return elf && elf->FindSection(TARE_UNITS_SECTION) != nullptr;
}

Result<TraceRun> TraceProgram(const TraceRequest& request) {
  TRY(auto run, TraceOnce(request));
  const auto plainly = [&](const run::Setting& setting) {
    run::Hooks hooks;
    hooks.interrupted = request.interrupted;
    return run::RunProgram(request.program, setting, hooks);
  };
  TRY(const auto other, run::OtherEndWithoutControl(request.setting, run.finished, plainly));
  if (other) {
    const bool engine = request.sampler == Sampler::kInstructions;
    run.caveats.push_back({engine ? CaveatId::kExitStatusDiffers : CaveatId::kControlHarmed,
                           fmt::format("status {} instead of {}", run.finished.ended.ShellStatus(),
                                       other->ShellStatus())});
  }
  return run;
}

}  // namespace tare::sample
