// consumer.cc: finds flows and reads them in rotation.
#include "model/vpmu/consumer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <utility>

#include "binary/decode/architecture.h"
#include "format/flow_reader.h"
#include "model/vpmu/exact_filter.h"
#include "model/vpmu/flow_files.h"
#include "model/vpmu/flow_taker.h"

namespace tare::vpmu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLookEvery = std::chrono::milliseconds(2);
constexpr std::uint64_t kWaitNs = 1'000'000;
// Chunks read from one flow before the next flow has its turn. kLastTurn exceeds the capacity of a
// flow, so that a flow that has ended is read completely, and one that continues does not block the
// loop.
constexpr unsigned kBatchChunks = 16;
constexpr unsigned kFinalBatchChunks = TARE_FLOW_MAX_CHUNKS + 1;

bool Equal(const tare_flow_filter& a, const tare_flow_filter& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// The flow of one process.
class Flow {
 public:
  static Result<std::unique_ptr<Flow>> Open(const ConsumerPlan& plan, const std::string& name,
                                            bool sampled) {
    TRY(auto reader, format::FlowReader::Open(plan.directory, name));
    const auto architecture =
        decode::ArchitectureOf(static_cast<std::uint16_t>(reader.architecture()));
    if (!architecture) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("flow {}: unknown architecture {}", name, reader.architecture()));
    }
    TRY(auto core, model::Core::Make(plan.processor));
    const tare_flow_filter filter = reader.filter();
    if (filter.entries != 0 && !Equal(filter, ExactFilter(plan.processor))) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("flow {}: its filter is not that of the processor", name));
    }
    auto flow = std::unique_ptr<Flow>(new Flow(name, std::move(reader)));
    flow->taker_.emplace(std::move(core), *architecture, plan.of_region);
    if (filter.entries != 0) flow->taker_->AcceptDropped();
    if (sampled && plan.on_sample) {
      flow->taker_->EnableTotals();
      flow->on_sample_ = [report = plan.on_sample,
                          process = flow->reader_->process()](SampledTotals totals) {
        totals.process = process;
        report(totals);
      };
    }
    return flow;
  }

  const std::string& name() const { return name_; }
  format::FlowReader& reader() { return *reader_; }
  bool IsOpen() const { return taker_.has_value(); }
  const std::optional<Error>& error() const { return error_; }

  // Reads up to `max_chunks` chunks and returns their number. After an error chunks are discarded,
  // because the program would wait otherwise.
  unsigned Take(unsigned max_chunks) {
    unsigned taken = 0;
    for (; taken < max_chunks && HasMore(); ++taken) {
      if (!error_) {
        const auto done = taker_->Take(reader_->Next(), [this] { return Learn(); }, on_sample_);
        if (!done) error_ = done.error();
      }
      reader_->ReleaseChunk();
    }
    return taken;
  }

  bool HasEnded() { return reader_->Ended() && !HasMore(); }

  // Called when no more data comes or is needed.
  void Close() {
    events_.process = reader_->process();
    events_.generation = reader_->generation();
    events_.cut_short = reader_->CutShort() || !reader_->Ended();
    events_.blocks = taker_->Events();
    if (!error_) {
      const auto written = reader_->WriteCounts(taker_->Counts());
      if (!written) error_ = written.error();
    }
    if (on_sample_) {
      SampledTotals totals = taker_->EndTotals();
      totals.last = true;
      on_sample_(totals);
    }
    taker_.reset();
    reader_.reset();  // a process tree may have thousands of flows in sequence
  }

  ProcessEvents TakeEvents() { return std::move(events_); }

 private:
  Flow(std::string name, format::FlowReader reader)
      : name_(std::move(name)), reader_(std::move(reader)) {}

  // Also skips chunks without words.
  bool HasMore() { return !reader_->Next().empty() || reader_->Wait(0); }

  Result<void> Learn() {
    TRY_VOID(reader_->Refresh());
    return taker_->Learn(reader_->Blocks());
  }

  std::string name_;
  // Set while the flow is open.
  std::optional<format::FlowReader> reader_;
  std::optional<FlowTaker<model::Core>> taker_;
  std::function<void(const SampledTotals&)> on_sample_;
  std::optional<Error> error_;
  ProcessEvents events_;
};

class Consumer {
 public:
  Consumer(const ConsumerPlan& plan, const std::atomic<bool>& ended) : plan_(plan), ended_(ended) {}

  Result<std::vector<ProcessEvents>> Consume() {
    // Reports an invalid description before waiting for the program.
    TRY_VOID(model::Core::Make(plan_.processor));
    while (true) {
      // Must be read first: everything that existed when the program ended is then seen below.
      const bool ended = ended_.load(std::memory_order_acquire);
      if (ended || Clock::now() >= next_look_) Look();
      const bool took = TakeFromEach(ended ? kFinalBatchChunks : kBatchChunks);
      if (ended) break;
      if (!took) Wait();
    }
    return Finish();
  }

 private:
  void Look() {
    unopened_.reset();
    for (const std::string& name : FlowNames(plan_.directory)) {
      const bool known = std::ranges::any_of(
          flows_, [&](const std::unique_ptr<Flow>& flow) { return flow->name() == name; });
      if (!known) Open(name);
    }
    next_look_ = Clock::now() + kLookEvery;
  }

  // A flow that is not complete yet is tried again at the next look.
  void Open(const std::string& name) {
    if (!HasBegun(plan_.directory, name)) return;
    auto flow = Flow::Open(plan_, name, flows_.empty());
    if (flow) {
      flows_.push_back(std::move(*flow));
    } else {
      unopened_ = flow.error();
    }
  }

  bool TakeFromEach(unsigned max_chunks) {
    bool took = false;
    for (const auto& flow : flows_) {
      if (!flow->IsOpen()) continue;
      if (flow->Take(max_chunks) > 0) {
        took = true;
        busy_ = flow.get();
      } else if (flow->HasEnded()) {
        flow->Close();
      }
    }
    return took;
  }

  // Waits on the open flow that had data last.
  void Wait() {
    if (busy_ == nullptr || !busy_->IsOpen()) {
      const auto open = std::ranges::find_if(flows_, &Flow::IsOpen, &std::unique_ptr<Flow>::get);
      busy_ = open != flows_.end() ? open->get() : nullptr;
    }
    if (busy_ != nullptr) {
      busy_->reader().Wait(kWaitNs);
    } else {
      std::this_thread::sleep_for(std::chrono::nanoseconds(kWaitNs));
    }
  }

  Result<std::vector<ProcessEvents>> Finish() {
    if (unopened_) return std::unexpected(*unopened_);
    std::vector<ProcessEvents> events;
    for (const auto& flow : flows_) {
      if (flow->IsOpen()) flow->Close();
      if (flow->error()) return std::unexpected(*flow->error());
      events.push_back(flow->TakeEvents());
    }
    return events;
  }

  const ConsumerPlan& plan_;
  const std::atomic<bool>& ended_;
  std::deque<std::unique_ptr<Flow>> flows_;
  Flow* busy_ = nullptr;
  Clock::time_point next_look_;
  std::optional<Error> unopened_;
};

}  // namespace

Result<std::vector<ProcessEvents>> Consume(const ConsumerPlan& plan,
                                           const std::atomic<bool>& ended) {
  return Consumer(plan, ended).Consume();
}

}  // namespace tare::vpmu
