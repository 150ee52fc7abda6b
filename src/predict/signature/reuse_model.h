// reuse_model.h: the model of memory use that flows and streams of accesses are fed to.
#pragma once

#include <cstdint>
#include <memory>

#include "format/flow_wire.h"
#include "model/core/branch_unit.h"
#include "model/core/core.h"
#include "model/core/recent_lines.h"
#include "model/reuse/memory_use.h"
#include "predict/signature/sampling_clock.h"

namespace tare::signature {

// The reference predictor: TAGE with 8 tagged tables of 2,048 entries and up to 200 outcomes, a
// target buffer of 4,096 entries in 4 ways and a return stack of 32. About the budget of processors
// since 2015.
model::Branching ReferencePredictor();

// Has the members of model::Core that vpmu::FlowTaker and vpmu::StreamConsumer need.
class ReuseModel {
 public:
  // What is counted per block besides what the models of memory count by owner.
  struct BlockEvents {
    BlockEvents() = default;
    explicit BlockEvents(std::uint32_t block) : owner(block + 1) {}

    std::uint32_t owner = 0;                       // block + 1; 0: outside the region
    std::uint64_t conditional_mispredictions = 0;  // while branches are counted
    std::uint64_t target_mispredictions = 0;       // of indirect jumps and returns
    // Guarded accesses that were done, or all accesses of a stream.
    std::uint64_t loads = 0;
    std::uint64_t stores = 0;
    std::uint64_t load_bytes = 0;
    std::uint64_t store_bytes = 0;

    void Add(model::Event, std::uint64_t count) { conditional_mispredictions += count; }
    void AddGuarded(bool store, std::uint32_t bytes) {
      (store ? stores : loads) += 1;
      (store ? store_bytes : load_bytes) += bytes;
    }
  };

  ReuseModel(const reuse::MemoryUsePlan& plan, const Sampling& sampling)
      : clock_(sampling),
        memory_(std::make_unique<reuse::MemoryUse>(plan)),
        branches_(ReferencePredictor()) {}

  // Begins the next chunk; a stream does so by itself. `sets_bursts`: the engine does not say when
  // they begin and end.
  void NextChunk(bool sets_bursts) {
    const SampledChunk chunk = clock_.Next();
    if (sets_bursts) SetBurst(chunk.is_burst);
    Begin(chunk);
  }
  // The same for sparse flows. A chunk may have several windows, and a window several chunks.
  void BeginWindow() {
    clock_.BeginWindow();
    NextChunkOfWindow();
  }
  void NextChunkOfWindow() {
    const SampledChunk chunk = clock_.NextOfWindow();
    SetBurst(chunk.is_burst);
    Begin(chunk);
  }
  void EndWindow() {
    SetBurst(false);
    Begin(clock_.EndWindow());
  }
  bool counts_pages() const { return memory_->counts_pages(); }
  void SetBurst(bool on) { on ? memory_->StartBurst() : memory_->EndBurst(); }
  double PageScale() const { return clock_.PageScale(); }

  reuse::MemoryUse& memory() { return *memory_; }
  const reuse::MemoryUse& memory() const { return *memory_; }

  // A line between the windows of a sparse flow, as in flow_wire.h.
  void UseLine(std::uint64_t word, BlockEvents& events) {
    memory_->TakeLine(word & ~(TARE_FLOW_LINE_STORE | TARE_FLOW_LINE_FURTHER),
                      (word & TARE_FLOW_LINE_STORE) != 0, (word & TARE_FLOW_LINE_FURTHER) != 0,
                      events.owner);
  }

  // A stream's access.
  void Access(const model::DataAccess& access, BlockEvents& to) {
    to.AddGuarded(access.store, access.bytes);
    if (until_next_chunk_-- == 0) [[unlikely]] {
      until_next_chunk_ = kAccessesPerChunk - 1;
      NextChunk(true);
    }
    const auto bound =
        model::RecentLines::LineBoundOf(memory_->line_bytes(), access.bytes, access.store);
    if (access.bytes <= memory_->line_bytes() &&
        memory_->recent().Use(access.address, bound.max_offset, bound.shift))
      return;
    AccessSlow(0, access, to);
  }

  // Code is not modelled.
  static constexpr bool kHasNoCode = true;
  struct CodeView {
    template <unsigned kShift>
    bool UseLine(std::uint64_t, std::uint64_t) const {
      return true;
    }
    bool Use(std::uint64_t, std::uint64_t, bool, std::uint64_t) const { return true; }
    bool UseTwo(std::uint64_t, std::uint64_t, bool, std::uint64_t) const { return true; }
  };
  struct DataView {
    reuse::MemoryUse::Recent recent;
    std::uint64_t line_bytes;

    template <unsigned kShift = 0>
    bool Use(std::uint64_t address, model::RecentLines::LineBound bound, std::uint64_t) const {
      return recent.Use(address, bound.max_offset, bound.shift);
    }
    bool Use(std::uint64_t address, std::uint64_t last_byte, bool store, std::uint64_t time) const {
      return last_byte < line_bytes &&
             Use(address, model::RecentLines::LineBoundOf(line_bytes, last_byte + 1, store), time);
    }
    // AccessSlow takes accesses of two lines.
    bool UseTwo(std::uint64_t, std::uint64_t, bool, std::uint64_t) const { return false; }
  };
  struct Recent {
    CodeView code;
    DataView data;
  };
  Recent recent() const { return {{}, {memory_->recent(), memory_->line_bytes()}}; }
  // So long that hardly any block needs steps for its code.
  unsigned code_line_bytes() const { return 1U << 31; }
  unsigned data_line_bytes() const { return memory_->line_bytes(); }
  std::uint64_t time() const { return 0; }
  void SetTime(std::uint64_t) {}
  std::uint64_t FetchSlow(std::uint64_t time, std::uint64_t, std::uint32_t, BlockEvents&) {
    return time;
  }
  std::uint64_t AccessSlow(std::uint64_t time, const model::DataAccess& access, BlockEvents& to) {
    memory_->Take({access.address, access.bytes, access.store, access.site, to.owner});
    return time;
  }

  ReuseModel& branches() { return *this; }
  bool Mispredicts(std::uint64_t address, bool taken) {
    ++all_branches_;
    if (!predicts_) return false;
    counted_branches_ += counts_branches_ ? 1 : 0;
    return branches_.Mispredicts(address, taken) && counts_branches_;
  }
  // All conditional branches for each one that was counted.
  double BranchScale() const {
    return counted_branches_ == 0
               ? 0
               : static_cast<double>(all_branches_) / static_cast<double>(counted_branches_);
  }
  // Conditional branches, indirect jumps and returns that were counted.
  std::uint64_t counted_branches() const { return counted_branches_; }
  std::uint64_t counted_targets() const { return counted_targets_; }
  void IndirectJump(std::uint64_t address, std::uint64_t target, BlockEvents& to) {
    const std::uint64_t before = events_[model::Event::kIndirectMispredictions];
    branches_.IndirectJump(address, target, events_);
    CountTarget(events_[model::Event::kIndirectMispredictions] - before, to);
  }
  void Call(std::uint64_t return_address) { branches_.Call(return_address); }
  void Return(std::uint64_t target, BlockEvents& to) {
    const std::uint64_t before = events_[model::Event::kReturnMispredictions];
    branches_.Return(target, events_);
    CountTarget(events_[model::Event::kReturnMispredictions] - before, to);
  }
  // Targets are counted while branches are, and not always.
  void SampleTargets() { samples_targets_ = true; }

 private:
  void Begin(const SampledChunk& chunk) {
    predicts_ = chunk.predicts_branches;
    counts_branches_ = chunk.counts_branches;
    if (chunk.pages == SampledChunk::Pages::kIgnored) memory_->IgnorePages();
    if (chunk.pages == SampledChunk::Pages::kRestarted) memory_->WarmPages();
    if (chunk.pages == SampledChunk::Pages::kCounted) memory_->CountPages();
  }
  void CountTarget(std::uint64_t mispredictions, BlockEvents& to) {
    if (samples_targets_ && !counts_branches_) return;
    ++counted_targets_;
    to.target_mispredictions += mispredictions;
  }

  // A chunk of the flow has 8,192 words, which are about as many accesses.
  static constexpr std::uint64_t kAccessesPerChunk = 4096;

  SamplingClock clock_;
  std::uint64_t until_next_chunk_ = 0;  // accesses of a stream
  std::unique_ptr<reuse::MemoryUse> memory_;
  model::BranchUnit branches_;
  model::EventCounts events_;  // of all blocks
  bool predicts_ = true;
  bool counts_branches_ = true;
  std::uint64_t all_branches_ = 0;
  std::uint64_t counted_branches_ = 0;
  std::uint64_t counted_targets_ = 0;
  bool samples_targets_ = false;
};

}  // namespace tare::signature
