// recording_model.h: a model that records its inputs, and blocks to feed it.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "format/flow_reader.h"
#include "model/core/core.h"

namespace tare::vpmu {

// Each input also counts as an event, to show which block the event is attributed to.
class RecordingModel {
 public:
  explicit RecordingModel(std::vector<std::string>& calls) : calls_(&calls) {}

  unsigned code_line_bytes() const { return 64; }
  unsigned data_line_bytes() const { return 64; }
  std::uint64_t time() const { return time_; }
  void SetTime(std::uint64_t time) { time_ = time; }

  // Contains no line.
  struct View {
    template <unsigned kShift = 0>
    bool Use(std::uint64_t, model::RecentLines::LineBound, std::uint64_t) const {
      return false;
    }
    bool Use(std::uint64_t, std::uint64_t, bool, std::uint64_t) const { return false; }
    bool UseTwo(std::uint64_t, std::uint64_t, bool, std::uint64_t) const { return false; }
    template <unsigned kShift>
    bool UseLine(std::uint64_t, std::uint64_t) const {
      return false;
    }
  };
  struct Recent {
    View code;
    View data;
  };
  Recent recent() const { return {}; }
  std::uint64_t FetchSlow(std::uint64_t time, std::uint64_t address, std::uint32_t bytes,
                          model::EventCounts& to) {
    to.Add(model::Event::kL1iMisses);
    calls_->push_back(fmt::format("fetch {:#x}+{}", address, bytes));
    return time;
  }
  std::uint64_t AccessSlow(std::uint64_t time, const model::DataAccess& access,
                           model::EventCounts& to) {
    to.Add(access.store ? model::Event::kL1dStoreMisses : model::Event::kL1dLoadMisses);
    calls_->push_back(fmt::format("{} {:#x}+{} at {:#x}", access.store ? "store" : "load",
                                  access.address, access.bytes, access.site));
    return time;
  }
  void UseLine(std::uint64_t word, model::EventCounts&) {
    calls_->push_back(fmt::format("line {:#x}", word));
  }
  RecordingModel& branches() { return *this; }
  // Every branch is mispredicted.
  bool Mispredicts(std::uint64_t address, bool taken) {
    calls_->push_back(fmt::format("branch {:#x} {}", address, taken ? "taken" : "not taken"));
    return true;
  }
  void IndirectJump(std::uint64_t address, std::uint64_t target, model::EventCounts& to) {
    to.Add(model::Event::kIndirectMispredictions);
    calls_->push_back(fmt::format("jump {:#x} to {:#x}", address, target));
  }
  void Call(std::uint64_t back) { calls_->push_back(fmt::format("call, back to {:#x}", back)); }
  void Return(std::uint64_t target, model::EventCounts& to) {
    to.Add(model::Event::kReturnMispredictions);
    calls_->push_back(fmt::format("return to {:#x}", target));
  }

 private:
  std::vector<std::string>* calls_;
  std::uint64_t time_ = 0;
};

using ModelCalls = std::vector<std::string>;

// Instructions of AArch64.
inline constexpr std::uint32_t kNop = 0xd503201f;
inline constexpr std::uint32_t kLoad = 0xf9400020;    // ldr x0, [x1]
inline constexpr std::uint32_t kStore = 0xf9000020;   // str x0, [x1]
inline constexpr std::uint32_t kBranch = 0x54000001;  // b.ne
inline constexpr std::uint32_t kCall = 0x94000000;    // bl
inline constexpr std::uint32_t kIndirectCall = 0xd63f0000;
inline constexpr std::uint32_t kIndirectJump = 0xd61f0000;
inline constexpr std::uint32_t kReturn = 0xd65f03c0;

// Descriptions, with their code. Blocks are numbered in the order in which they are added.
class Blocks {
 public:
  format::FlowBlock& Add(std::uint64_t address, std::vector<std::uint32_t> code) {
    std::vector<std::byte> bytes;
    for (const std::uint32_t word : code) {
      for (unsigned shift = 0; shift < 32; shift += 8) {
        bytes.push_back(static_cast<std::byte>(word >> shift & 0xff));
      }
    }
    format::FlowBlock& block =
        AddBytes(address, std::move(bytes), static_cast<std::uint32_t>(code.size()));
    if (code.back() == kBranch) block.flags = TARE_WIRE_CONDITIONAL;
    return block;
  }

  format::FlowBlock& AddBytes(std::uint64_t address, std::vector<std::byte> bytes,
                              std::uint32_t instructions) {
    code_.push_back(std::move(bytes));
    format::FlowBlock block;
    block.block = all.size();
    block.address = address;
    block.code = code_.back();
    block.code_bytes = static_cast<std::uint32_t>(code_.back().size());
    block.instructions = instructions;
    all.push_back(std::move(block));
    return all.back();
  }

  std::vector<format::FlowBlock> all;

 private:
  std::deque<std::vector<std::byte>> code_;
};

}  // namespace tare::vpmu
