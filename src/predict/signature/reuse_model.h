// reuse_model.h: the model of memory use that flows and streams of accesses are fed to.
#pragma once

#include <cstdint>
#include <memory>

#include "model/core/branch_unit.h"
#include "model/core/core.h"
#include "model/core/recent_lines.h"
#include "model/reuse/memory_use.h"

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

    std::uint32_t owner = 0;  // block + 1; 0: outside the region
    std::uint64_t mispredictions = 0;
    // Guarded accesses that were done, or all accesses of a stream.
    std::uint64_t loads = 0;
    std::uint64_t stores = 0;
    std::uint64_t load_bytes = 0;
    std::uint64_t store_bytes = 0;

    void Add(model::Event, std::uint64_t count) { mispredictions += count; }
    void AddGuarded(bool store, std::uint32_t bytes) {
      (store ? stores : loads) += 1;
      (store ? store_bytes : load_bytes) += bytes;
    }
  };

  // Bursts of a stream, in accesses; see Sampling.
  struct Bursts {
    std::uint64_t length = 0;
    std::uint64_t period = 1;
  };

  explicit ReuseModel(const reuse::MemoryUsePlan& plan) : ReuseModel(plan, Bursts()) {}
  ReuseModel(const reuse::MemoryUsePlan& plan, Bursts bursts)
      : bursts_(bursts),
        memory_(std::make_unique<reuse::MemoryUse>(plan)),
        branches_(ReferencePredictor()) {}

  reuse::MemoryUse& memory() { return *memory_; }
  const reuse::MemoryUse& memory() const { return *memory_; }

  // A stream's access.
  void Access(const model::DataAccess& access, BlockEvents& to) {
    to.AddGuarded(access.store, access.bytes);
    if (until_change_-- == 0) [[unlikely]]
      ChangeBurst();
    const auto bound =
        model::RecentLines::LineBoundOf(memory_->line_bytes(), access.bytes, access.store);
    if (access.bytes <= memory_->line_bytes() &&
        memory_->recent().Use(access.address, bound.max_offset, bound.shift))
      return;
    AccessSlow(0, access, to);
  }

  // Code is not modelled.
  struct CodeView {
    template <unsigned kShift>
    bool UseLine(std::uint64_t, std::uint64_t) const {
      return true;
    }
    bool Use(std::uint64_t, std::uint64_t, bool, std::uint64_t) const { return true; }
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
  };
  struct Recent {
    CodeView code;
    DataView data;
  };
  Recent recent() const { return {{}, {memory_->recent(), memory_->line_bytes()}}; }
  unsigned code_line_bytes() const { return memory_->line_bytes(); }
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
    return branches_.Mispredicts(address, taken);
  }
  void IndirectJump(std::uint64_t address, std::uint64_t target, BlockEvents& to) {
    const std::uint64_t before = events_[model::Event::kIndirectMispredictions];
    branches_.IndirectJump(address, target, events_);
    to.mispredictions += events_[model::Event::kIndirectMispredictions] - before;
  }
  void Call(std::uint64_t return_address) { branches_.Call(return_address); }
  void Return(std::uint64_t target, BlockEvents& to) {
    const std::uint64_t before = events_[model::Event::kReturnMispredictions];
    branches_.Return(target, events_);
    to.mispredictions += events_[model::Event::kReturnMispredictions] - before;
  }

 private:
  void ChangeBurst() {
    in_burst_ = bursts_.length > 0 && !in_burst_;
    in_burst_ ? memory_->StartBurst() : memory_->EndBurst();
    until_change_ = (in_burst_ ? bursts_.length : bursts_.period - bursts_.length) - 1;
  }

  Bursts bursts_;
  bool in_burst_ = false;
  std::uint64_t until_change_ = 0;  // accesses until the next burst begins or ends
  std::unique_ptr<reuse::MemoryUse> memory_;
  model::BranchUnit branches_;
  model::EventCounts events_;  // of all blocks
};

}  // namespace tare::signature
