// flow_recorder.cc: turns the records of a flow into blocks of a trace.
#include "measure/events/flow_recorder.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "binary/decode/instruction.h"

namespace tare::events {
namespace {

using format::AccessKind;
using format::BlockEnd;

// What the last instruction does. Unknown where the code cannot be decoded, and for repeated
// instructions, which may return to themselves.
BlockEnd EndOf(const format::FlowBlock& block, decode::Architecture architecture) {
  if ((block.flags & TARE_WIRE_REPEATED) != 0) return BlockEnd::kUnknown;
  BlockEnd end = BlockEnd::kUnknown;
  std::uint32_t at = 0;
  while (at < block.code_bytes) {
    const auto decoded = decode::Decode(architecture, block.code.subspan(at), block.address + at);
    if (!decoded || decoded->length == 0) return BlockEnd::kUnknown;
    end = EndOfBlock(decoded->branch);
    at += decoded->length;
  }
  // The engine's flag decides: a block may end before its branch, or in a conditional instruction
  // that is not a branch.
  const bool conditional = (block.flags & TARE_WIRE_CONDITIONAL) != 0;
  if (conditional != (end == BlockEnd::kConditional))
    return conditional ? BlockEnd::kConditional : BlockEnd::kUnknown;
  return end;
}

AccessKind KindOf(tare_flow_kind kind) {
  switch (kind) {
    case TARE_FLOW_STORE:
      return AccessKind::kStore;
    case TARE_FLOW_GUARDED_LOAD:
      return AccessKind::kGuardedLoad;
    case TARE_FLOW_GUARDED_STORE:
      return AccessKind::kGuardedStore;
    case TARE_FLOW_LOAD:
      break;
  }
  return AccessKind::kLoad;
}

format::TraceBlock TraceBlockOf(const format::FlowBlock& block, decode::Architecture architecture,
                                Content content) {
  format::TraceBlock made;
  made.address = block.address;
  made.code_bytes = block.code_bytes;
  made.operation = block.operation;
  made.instructions = block.operation ? 0 : block.instructions;
  made.end = EndOf(block, architecture);
  if (content == Content::kBlocks) return made;
  made.code.assign(reinterpret_cast<const char*>(block.code.data()), block.code.size());
  if (content == Content::kInstructions) return made;
  made.words = block.words - 1u;
  for (const format::FlowAccess& access : block.accesses) {
    made.accesses.push_back(
        {KindOf(access.kind), access.bytes, access.word, access.offset, access.code_offset});
  }
  return made;
}

class TraceFlowSink : public vpmu::FlowSink {
 public:
  TraceFlowSink(TraceBuilder& builder, Content content, RecordedBlocks& recorded,
                const vpmu::FlowOrigin& origin)
      : builder_(builder),
        content_(content),
        origin_(origin),
        recorded_(recorded[{origin.process, origin.generation}]),
        kinds_(1) {}

  Result<void> Learn(std::span<const format::FlowBlock> blocks) override {
    for (std::size_t i = kinds_.size() - 1; i < blocks.size(); ++i) {
      const format::FlowBlock& block = blocks[i];
      const std::uint32_t number =
          builder_.BlockNumber(TraceBlockOf(block, origin_.architecture, content_));
      kinds_.push_back({block.words, number, block.block, block.operation, block.address});
      recorded_.emplace_back(block.block, number);
    }
    return {};
  }

  Result<void> Take(std::span<const std::uint64_t> words,
                    const std::function<Result<void>()>& learn) override {
    // Flows of several processes alternate.
    if (thread_) builder_.SetThread(*thread_);
    for (std::size_t at = 0; at < words.size();) {
      const std::uint64_t number = words[at] & TARE_FLOW_NUMBER;
      if ((words[at] & TARE_FLOW_MARK) != 0) {
        if (words.size() - at < 2) return DamagedFlowRecord();
        TakeMark(number, words[at + 1]);
        at += 2;
        continue;
      }
      if (number >= kinds_.size()) TRY_VOID(learn());
      if (number == 0 || number >= kinds_.size() || kinds_[number].words > words.size() - at)
        return DamagedFlowRecord();
      TakeBlock(kinds_[number], words.subspan(at + 1, kinds_[number].words - 1));
      at += kinds_[number].words;
    }
    Pause();
    return {};
  }

  void Pause() override { builder_.Pause(); }

  void TakeCounts(std::vector<tare_wire_counters>&& counts) override { counted_ = counts; }

  std::vector<tare_wire_counters> Close(bool cut_short) override {
    const std::uint64_t missing = std::max<std::uint64_t>(Missing(), cut_short ? 1 : 0);
    builder_.writer().AddLost(missing, "the end of a process's blocks did not arrive");
    std::vector<tare_wire_counters> counts;
    for (const Kind& kind : std::span(kinds_).subspan(1)) {
      if (counts.size() <= kind.block) counts.resize(kind.block + 1);
      (kind.operation ? counts[kind.block].second : counts[kind.block].executions) += kind.records;
    }
    return counts;
  }

 private:
  struct Kind {
    std::size_t words = 1;
    std::uint32_t number = 0;
    std::uint64_t block = 0;
    bool operation = false;
    std::uint64_t address = 0;
    std::uint64_t records = 0;
  };
  static constexpr std::uint64_t kNoOperation = UINT64_MAX;

  static std::unexpected<Error> DamagedFlowRecord() {
    return Fail(ErrorKind::kFormat, "flow: a record without a matching description");
  }

  // Under Valgrind a repeated instruction is reached again after each of its operations
  // (docs/formats/flow.md). It is one execution, as in the other sources. The superblock that it
  // loops to may be another one, with a block of its own, so that the address decides.
  void TakeBlock(Kind& kind, std::span<const std::uint64_t> words) {
    const bool again = !kind.operation && operation_at_ == kind.address;
    operation_at_ = kind.operation ? kind.address : kNoOperation;
    if (again) return;
    ++kind.records;
    if (content_ != Content::kAddresses) words = {};
    builder_.AddBlock(kind.number, words);
  }

  // The executions that an engine counted, but that did not arrive.
  std::uint64_t Missing() const {
    std::uint64_t executed = 0;
    std::uint64_t arrived = 0;
    for (const Kind& kind : std::span(kinds_).subspan(1)) {
      arrived += kind.records;
      if (kind.block >= counted_.size()) continue;
      executed += kind.operation ? counted_[kind.block].second : counted_[kind.block].executions;
    }
    return executed - std::min(executed, arrived);
  }

  void TakeMark(std::uint64_t mark, std::uint64_t value) {
    if (mark == TARE_FLOW_THREAD) {
      if (thread_) operations_[*thread_] = operation_at_;
      thread_ = builder_.ThreadNumber({origin_.process, value, origin_.generation});
      const auto known = operations_.find(*thread_);
      operation_at_ = known == operations_.end() ? kNoOperation : known->second;
      builder_.SetThread(*thread_);
    } else if (mark == TARE_FLOW_SIGNAL) {
      builder_.AddSignal(value);
    }
  }

  TraceBuilder& builder_;
  Content content_;
  vpmu::FlowOrigin origin_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>>& recorded_;
  std::vector<Kind> kinds_;  // by record number
  std::optional<std::uint32_t> thread_;
  // The instruction whose operation the thread performed last.
  std::uint64_t operation_at_ = kNoOperation;
  std::map<std::uint32_t, std::uint64_t> operations_;  // of the other threads
  std::vector<tare_wire_counters> counted_;            // by the engine; may be empty
};

// Takes the flow of a process that is not recorded, because the process waits for its reader.
class DroppedFlowSink : public vpmu::FlowSink {
 public:
  Result<void> Learn(std::span<const format::FlowBlock>) override { return {}; }
  Result<void> Take(std::span<const std::uint64_t>, const std::function<Result<void>()>&) override {
    return {};
  }
  std::vector<tare_wire_counters> Close(bool) override { return {}; }
};

}  // namespace

BlockEnd EndOfBlock(decode::BranchKind branch) {
  switch (branch) {
    case decode::BranchKind::kConditional:
      return BlockEnd::kConditional;
    case decode::BranchKind::kIndirectJump:
      return BlockEnd::kIndirectJump;
    case decode::BranchKind::kCall:
      return BlockEnd::kCall;
    case decode::BranchKind::kIndirectCall:
      return BlockEnd::kIndirectCall;
    case decode::BranchKind::kReturn:
      return BlockEnd::kReturn;
    case decode::BranchKind::kNone:
    case decode::BranchKind::kJump:
      break;
  }
  return BlockEnd::kContinues;
}

vpmu::MakeFlowSink RecordFlows(TraceBuilder& builder, Content content, RecordedBlocks& blocks,
                               IsRecorded is_recorded) {
  return [&builder, content, &blocks, is_recorded = std::move(is_recorded)](
             const vpmu::FlowOrigin& origin) -> Result<std::unique_ptr<vpmu::FlowSink>> {
    if (!is_recorded(origin.process)) return std::make_unique<DroppedFlowSink>();
    return std::make_unique<TraceFlowSink>(builder, content, blocks, origin);
  };
}

void NameRecorded(std::span<const format::Recording> recordings, const RecordedBlocks& blocks,
                  TraceBuilder& builder) {
  for (const format::Recording& recording : recordings) {
    const auto found = blocks.find({recording.process, recording.generation});
    if (found == blocks.end()) continue;
    std::map<std::uint64_t, const format::Block*> by_number;
    for (const format::Block& block : recording.blocks) by_number[block.number] = &block;
    for (const auto& [there, here] : found->second) {
      const auto block = by_number.find(there);
      if (block == by_number.end() || !block->second->object) continue;
      const format::MappedObject& object = recording.objects[*block->second->object];
      if (object.path.empty()) continue;
      builder.NameBlock(here, object.path, block->second->address - object.start + object.offset);
    }
  }
}

}  // namespace tare::events
