// instruction_trace.cc: converts samples of the virtual engine to records of a series.
#include "measure/sample/instruction_trace.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string_view>

#include "base/private_directory.h"
#include "format/series_writer.h"
#include "measure/engine/engine_limit.h"
#include "measure/engine/engine_run.h"
#include "measure/sample/software_columns.h"
#include "measure/sample/start_mark.h"
#include "measure/sample/trace_facts.h"
#include "measure/sample/trace_file.h"
#include "model/core/modelled_events.h"

namespace tare::sample {
namespace {

constexpr const char* kGroup = "virtual";

class InstructionTrace {
 public:
  // The program writes its own counters to `directory`.
  InstructionTrace(const TraceRequest& request, std::filesystem::path directory)
      : request_(request),
        processor_(*request.processor),
        pace_(request.pace),
        directory_(std::move(directory)) {}

  Result<void> Begin() {
    format::SeriesHead head = MakeHead(request_, pace_);
    AddChannels(head);
    TRY_VOID(CheckSelection(request_, head, known_));
    TRY(auto writer, format::SeriesWriter::Create(request_.file, head));
    writer_.emplace(std::move(writer));
    values_.resize(head.channels.size());
    Append({});
    pace_.IrregularSampleTaken();
    return {};
  }

  // Called while the program waits, or after its end.
  void Sample(const vpmu::SampledTotals& totals) {
    if (!totals.last && totals.instructions < pace_.DueNs()) return;
    if (!software_) {
      software_ = std::make_unique<SoftwareSource>(directory_, static_cast<pid_t>(totals.process),
                                                   CounterScope::kProcess, request_.selection);
    }
    software_columns_.Look(*software_, *writer_, values_);
    software_columns_.Read(*software_, values_);
    Append(totals);
    if (totals.last) {
      pace_.IrregularSampleTaken();
      ended_ = true;
      AddSoftware(*software_, request_, known_, facts_);
    } else {
      pace_.SampleTaken(totals.instructions);
    }
  }

  std::optional<Error> Finish(const run::Finished& finished) {
    AddEnding(finished.ended, facts_);
    facts_.taken = records_;
    format::SeriesEnd end;
    end.interval = pace_.IntervalNs();
    end.missed = pace_.Missed();
    end.facts = ToFacts(facts_);
    if (!ended_) end.loss = "the engine reported no values at the end of the program";
    if (auto closed = writer_->Close(end); !closed) return closed.error();
    if (auto thinned = ThinOut(request_.file, pace_); !thinned) return thinned.error();
    MakeRepeatable(request_.file, pace_);
    return std::nullopt;
  }

  void Abandon() {
    writer_.reset();
    RemoveSeries(request_.file);
  }

 private:
  using Values = std::vector<std::optional<std::int64_t>>;

  void Offer(format::SeriesHead& head, std::string_view name, const std::string& absence,
             bool exact, std::function<double(const vpmu::SampledTotals&)> read) {
    known_.emplace_back(name);
    if (!request_.selection.Wants(known_.back())) return;
    if (!absence.empty()) {
      head.absent.push_back({std::string(name), kGroup, absence});
      return;
    }
    head.channels.push_back({.name = std::string(name),
                             .group = kGroup,
                             .unit = "",
                             .source = "virtual " + processor_.name,
                             .kind = format::ChannelKind::kTotal,
                             .exact = exact});
    reads_.push_back(std::move(read));
  }

  void AddChannels(format::SeriesHead& head) {
    using Totals = vpmu::SampledTotals;
    Offer(head, "instructions", "", true,
          [](const Totals& t) { return static_cast<double>(t.instructions); });
    Offer(head, "loads", "", true, [](const Totals& t) { return static_cast<double>(t.loads); });
    Offer(head, "stores", "", true, [](const Totals& t) { return static_cast<double>(t.stores); });
    Offer(head, "conditional-branches", "", true,
          [](const Totals& t) { return static_cast<double>(t.branches); });
    for (const model::EventText& text : model::EventTable()) {
      Offer(head, text.id, model::WhyAbsent(processor_, text), true,
            [&text](const Totals& t) { return static_cast<double>(model::Sum(t.events, text)); });
    }
    Offer(head, "cycles", "", false, [this](const Totals& t) {
      return model::EstimateCycles(processor_, t.instructions, t.events);
    });
  }

  void Append(const vpmu::SampledTotals& totals) {
    for (std::size_t i = 0; i < reads_.size(); ++i) values_[i] = std::llround(reads_[i](totals));
    writer_->Append(totals.instructions, values_);
    writer_->FlushIfDue(MonotonicNs());
    std::ranges::fill(values_, std::nullopt);
    ++records_;
  }

  const TraceRequest& request_;
  const model::Processor& processor_;
  Pace pace_;
  std::filesystem::path directory_;
  std::vector<std::string> known_;  // names of all channels, selected or not
  std::vector<std::function<double(const vpmu::SampledTotals&)>> reads_;
  std::optional<format::SeriesWriter> writer_;
  std::unique_ptr<SoftwareSource> software_;
  SoftwareColumns software_columns_;
  Values values_;
  std::uint64_t records_ = 0;
  bool ended_ = false;
  EndFacts facts_;
};

}  // namespace

Result<TraceRun> TraceInstructions(const TraceRequest& request) {
  if (!request.processor) {
    return Fail(ErrorKind::kUsage, "--sampler instructions needs a processor to model");
  }
  TRY(const auto directory, PrivateDirectory::Make());
  InstructionTrace tracing(request, directory.path());
  TRY_VOID(tracing.Begin());
  engine::EnginePlan plan;
  plan.program = request.program;
  plan.setting = request.setting;
  plan.children = request.children;
  plan.limit = engine::LimitOf(engine::Engine::kVirtual, request.engine_seconds, std::nullopt);
  plan.interrupted = request.interrupted;
  plan.virtual_pmu = engine::VirtualPlan{
      .processor = *request.processor,
      .sample_instructions = Pace(request.pace).IntervalNs(),
      .first_sample = request.pace.first_ns.value_or(0),
      .on_sample = [&tracing](const vpmu::SampledTotals& totals) { tracing.Sample(totals); },
      .counters_directory = directory.path(),
  };
  auto ran = engine::RunUnder(engine::Engine::kVirtual, request.engines, plan);
  if (!ran) {
    tracing.Abandon();
    return std::unexpected(std::move(ran).error());
  }
  TraceRun run;
  run.file_error = tracing.Finish(ran->finished);
  run.finished = std::move(ran->finished);
  run.caveats = std::move(ran->caveats);
  return run;
}

}  // namespace tare::sample
