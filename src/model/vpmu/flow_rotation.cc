// flow_rotation.cc: finds flows and reads them in rotation.
#include "model/vpmu/flow_rotation.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "model/vpmu/flow_files.h"

namespace tare::vpmu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLookEvery = std::chrono::milliseconds(2);
// Chunks that are not full are read this often, so that the words of a program that waits arrive.
constexpr auto kPauseEvery = std::chrono::milliseconds(20);
constexpr std::uint64_t kWaitNs = 1'000'000;
// Chunks read from one flow before the next flow has its turn. kLastTurn exceeds the capacity of a
// flow, so that a flow that has ended is read completely, and one that continues does not block the
// loop.
constexpr unsigned kBatchChunks = 16;
constexpr unsigned kFinalBatchChunks = TARE_FLOW_MAX_CHUNKS + 1;

// The flow of one process.
class Flow {
 public:
  static Result<std::unique_ptr<Flow>> Open(const std::filesystem::path& directory,
                                            const std::string& name, const MakeFlowSink& make_sink,
                                            bool is_first) {
    TRY(auto reader, format::FlowReader::Open(directory, name));
    const auto architecture =
        decode::ArchitectureOf(static_cast<std::uint16_t>(reader.architecture()));
    if (!architecture) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("flow {}: unknown architecture {}", name, reader.architecture()));
    }
    TRY(auto sink, make_sink({reader.process(), reader.generation(), *architecture, is_first,
                              reader.filter()}));
    return std::unique_ptr<Flow>(new Flow(name, std::move(reader), std::move(sink)));
  }

  const std::string& name() const { return name_; }
  format::FlowReader& reader() { return *reader_; }
  bool IsOpen() const { return reader_.has_value(); }
  const std::optional<Error>& error() const { return error_; }

  // Reads up to `max_chunks` chunks and returns their number. After an error chunks are discarded,
  // because the program would wait otherwise.
  unsigned Take(unsigned max_chunks) {
    unsigned taken = 0;
    for (; taken < max_chunks && HasMore(); ++taken) {
      Pass(reader_->Next());
      reader_->ReleaseChunk();
    }
    return taken;
  }

  // Reads what there is of a chunk that is not full.
  void Pause() {
    Pass(reader_->NextPart());
    sink_->Pause();
  }

  bool HasEnded() { return reader_->Ended() && !HasMore(); }

  // Called when no more data comes or is needed.
  void Close() {
    Pass(reader_->NextPart());
    if (reader_->Ended()) {
      for (auto left = reader_->NextLeft(); !left.empty(); left = reader_->NextLeft()) Pass(left);
    }
    if (auto whole = reader_->IsWhole(); !whole && !error_) error_ = whole.error();
    const bool has_counts = reader_->HasEngineCounts();
    if (has_counts && !error_) TakeCounts();
    const auto counts = sink_->Close(reader_->CutShort() || !reader_->Ended());
    if (!error_ && !has_counts) {
      const auto written = reader_->WriteCounts(counts);
      if (!written) error_ = written.error();
    }
    sink_.reset();
    reader_.reset();  // a process tree may have thousands of flows in sequence
  }

 private:
  Flow(std::string name, format::FlowReader reader, std::unique_ptr<FlowSink> sink)
      : name_(std::move(name)), reader_(std::move(reader)), sink_(std::move(sink)) {}

  void Pass(std::span<const std::uint64_t> words) {
    if (error_ || words.empty()) return;
    const auto done = sink_->Take(words, [this] { return Learn(); });
    if (!done) error_ = done.error();
  }

  // Also skips chunks without words.
  bool HasMore() { return !reader_->Next().empty() || reader_->Wait(0); }

  // All descriptions that the engine wrote are read first: a block may have run without a record.
  void TakeCounts() {
    if (auto learned = Learn(); !learned) {
      error_ = learned.error();
      return;
    }
    std::size_t blocks = 0;
    for (const format::FlowBlock& block : reader_->Blocks())
      blocks = std::max<std::size_t>(blocks, block.block + 1);
    auto counts = reader_->EngineCounts(blocks);
    if (counts) {
      sink_->TakeCounts(std::move(*counts));
    } else {
      error_ = counts.error();
    }
  }

  Result<void> Learn() {
    TRY_VOID(reader_->Refresh());
    return sink_->Learn(reader_->Blocks());
  }

  std::string name_;
  // Both are set while the flow is open.
  std::optional<format::FlowReader> reader_;
  std::unique_ptr<FlowSink> sink_;
  std::optional<Error> error_;
};

class Rotation {
 public:
  Rotation(const std::filesystem::path& directory, const MakeFlowSink& make_sink,
           const std::atomic<bool>& ended)
      : directory_(directory), make_sink_(make_sink), ended_(ended) {}

  Result<void> Read() {
    while (true) {
      // Must be read first: everything that existed when the program ended is then seen below.
      const bool ended = ended_.load(std::memory_order_acquire);
      if (ended || Clock::now() >= next_look_) Look();
      const bool took = TakeFromEach(ended ? kFinalBatchChunks : kBatchChunks);
      if (ended) break;
      if (Clock::now() >= next_pause_) Pause();
      if (!took) Wait();
    }
    return Finish();
  }

 private:
  void Look() {
    unopened_.reset();
    for (const std::string& name : FlowNames(directory_)) {
      const bool known = std::ranges::any_of(
          flows_, [&](const std::unique_ptr<Flow>& flow) { return flow->name() == name; });
      if (!known) Open(name);
    }
    next_look_ = Clock::now() + kLookEvery;
  }

  // A flow that is not complete yet is tried again at the next look.
  void Open(const std::string& name) {
    if (!HasBegun(directory_, name)) return;
    auto flow = Flow::Open(directory_, name, make_sink_, flows_.empty());
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

  void Pause() {
    for (const auto& flow : flows_) {
      if (flow->IsOpen()) flow->Pause();
    }
    next_pause_ = Clock::now() + kPauseEvery;
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

  Result<void> Finish() {
    if (unopened_) return std::unexpected(*unopened_);
    for (const auto& flow : flows_) {
      if (flow->IsOpen()) flow->Close();
      if (flow->error()) return std::unexpected(*flow->error());
    }
    return {};
  }

  const std::filesystem::path& directory_;
  const MakeFlowSink& make_sink_;
  const std::atomic<bool>& ended_;
  std::deque<std::unique_ptr<Flow>> flows_;
  Flow* busy_ = nullptr;
  Clock::time_point next_look_;
  Clock::time_point next_pause_;
  std::optional<Error> unopened_;
};

}  // namespace

Result<void> ReadFlows(const std::filesystem::path& directory, const MakeFlowSink& make_sink,
                       const std::atomic<bool>& ended) {
  return Rotation(directory, make_sink, ended).Read();
}

}  // namespace tare::vpmu
