// block_steps.cc: decodes a block and inserts the fetches of its lines between its accesses.
#include "model/vpmu/block_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "binary/decode/instruction.h"

namespace tare::vpmu {
namespace {

using decode::BranchKind;
using decode::Instruction;

constexpr std::uint32_t kMaxBytes = 65536;  // maximum per access
constexpr unsigned kMaxInRun = 32;

StepKind KindOf(tare_flow_kind kind, bool wide) {
  switch (kind) {
    case TARE_FLOW_LOAD:
      return wide ? StepKind::kWideLoad : StepKind::kLoad;
    case TARE_FLOW_STORE:
      return wide ? StepKind::kWideStore : StepKind::kStore;
    case TARE_FLOW_GUARDED_LOAD:
      return StepKind::kGuardedLoad;
    case TARE_FLOW_GUARDED_STORE:
      break;
  }
  return StepKind::kGuardedStore;
}

Ending EndingOf(const Instruction& last) {
  switch (last.branch) {
    case BranchKind::kConditional:
      return Ending::kConditional;
    case BranchKind::kIndirectJump:
      return Ending::kIndirectJump;
    case BranchKind::kCall:
      return Ending::kCall;
    case BranchKind::kIndirectCall:
      return Ending::kIndirectCall;
    case BranchKind::kReturn:
      return Ending::kReturn;
    case BranchKind::kNone:
    case BranchKind::kJump:
      break;
  }
  return Ending::kNothing;
}

class Describer {
 public:
  Describer(const format::FlowBlock& block, std::uint64_t number, LineBytes lines)
      : block_(block), number_(number), lines_(lines) {
    described_.kind.start = block.address;
    described_.kind.block = static_cast<std::uint32_t>(block.block);
    described_.kind.code_bytes = static_cast<std::uint16_t>(block.code_bytes);
    described_.kind.words = block.words;
    described_.facts.repeated = (block.flags & TARE_WIRE_REPEATED) != 0;
  }

  // The record of a repeated instruction's operation follows the record of reaching the
  // instruction, which fetches and counts it.
  void AddOperation(decode::Architecture architecture) {
    AddAccesses(std::numeric_limits<std::uint32_t>::max());
    const auto decoded = decode::Decode(architecture, block_.code, block_.address);
    if (decoded) Weigh(*decoded);
    described_.facts.instructions = block_.instructions;
    described_.kind.ending = Ending::kOperation;
    described_.kind.first_line = LineOf(block_.address + block_.code_bytes - 1);
    described_.kind.first_bytes = 1;
  }

  void AddCode(decode::Architecture architecture) {
    std::uint32_t at = 0;
    described_.facts.instructions = block_.instructions;
    for (std::uint32_t i = 0; i < block_.instructions && at < block_.code_bytes; ++i) {
      const auto decoded =
          decode::Decode(architecture, block_.code.subspan(at), block_.address + at);
      if (!decoded || decoded->length == 0) break;
      AddInstruction(at, std::min<std::uint32_t>(decoded->length, block_.code_bytes - at));
      Weigh(*decoded);
      described_.kind.branch_offset = static_cast<std::uint16_t>(at);
      described_.kind.ending = EndingOf(*decoded);
      described_.facts.target = decoded->target.value_or(0);
      at += decoded->length;
    }
    // The instruction boundaries are unknown from here on, so each line is fetched separately.
    while (at < block_.code_bytes) {
      const std::uint64_t behind = LineOf(block_.address + at) + lines_.code;
      const auto bytes = static_cast<std::uint32_t>(
          std::min<std::uint64_t>(behind - (block_.address + at), block_.code_bytes - at));
      AddInstruction(at, bytes);
      at += bytes;
      described_.kind.ending = Ending::kNothing;
    }
    AddAccesses(std::numeric_limits<std::uint32_t>::max());
    // The engine's flag decides: a block that it did not split after a branch has no conditional
    // branch.
    const bool conditional = (block_.flags & TARE_WIRE_CONDITIONAL) != 0;
    if (conditional != (described_.kind.ending == Ending::kConditional)) {
      described_.kind.ending = conditional ? Ending::kConditional : Ending::kNothing;
    }
    if (described_.kind.ending == Ending::kConditional) described_.facts.branches = 1;
  }

  DescribedBlock Take() && {
    PutFetches();
    described_.steps.emplace_back();
    PutRuns();
    return std::move(described_);
  }

 private:
  std::uint64_t LineOf(std::uint64_t address) const {
    return address & ~(std::uint64_t{lines_.code} - 1);
  }

  // Adds the accesses of instructions that start before `code_offset`.
  void AddAccesses(std::uint32_t code_offset) {
    for (; next_ < block_.accesses.size(); ++next_) {
      const format::FlowAccess& access = block_.accesses[next_];
      if (access.code_offset >= code_offset) return;
      described_.steps.push_back(StepOf(access));
    }
  }

  // Without a word the loop adds the record's number, so it is subtracted here.
  Step StepOf(const format::FlowAccess& access) const {
    Step step;
    step.kind = KindOf(access.kind, access.bytes > lines_.data);
    step.offset = access.word == 0 ? access.offset - number_ : access.offset;
    step.word = access.word;
    step.code_offset = static_cast<std::uint16_t>(access.code_offset);
    step.size = step.kind > StepKind::kLoad ? static_cast<std::uint16_t>(access.bytes - 1)
                                            : LineBoundOf(access.bytes, step.kind);
    return step;
  }

  void PutFetches() {
    for (const Step& step : described_.steps) {
      if (step.kind == StepKind::kFetch) described_.fetches.push_back(step);
    }
    if (!described_.fetches.empty()) described_.fetches.emplace_back();
  }

  // Combines consecutive plain accesses to nearby addresses into runs, so that one lookup can
  // handle them.
  void PutRuns() {
    std::vector<Step> with_runs;
    for (std::size_t i = 0; i < described_.steps.size();) {
      const Step run = RunFrom(i);
      if (run.steps > 1) with_runs.push_back(run);
      for (unsigned last = std::max(1U, run.steps - 1U); last > 0; --last) {
        with_runs.push_back(described_.steps[i++]);
      }
    }
    described_.steps = std::move(with_runs);
  }

  // The run that starts at this step; `steps` is 1 if the step stays alone.
  Step RunFrom(std::size_t first) const {
    const Step* const steps = &described_.steps[first];
    Step run = *steps;
    if (run.kind > StepKind::kLoad) return run;
    // The start and end of the range, relative to the first step's offset.
    const auto line_bytes = static_cast<std::int64_t>(lines_.data);
    std::int64_t begin = 0;
    std::int64_t end = run.bytes(lines_.data);
    unsigned count = 1;
    for (; count < kMaxInRun; ++count) {
      const Step& next = steps[count];
      if (next.kind > StepKind::kLoad || next.word != run.word) break;
      const auto at = static_cast<std::int64_t>(next.offset - steps->offset);
      if (at <= -line_bytes || at >= line_bytes) break;
      const std::int64_t least = std::min(begin, at);
      const std::int64_t most = std::max(end, at + next.bytes(lines_.data));
      if (most - least > line_bytes) break;
      begin = least;
      end = most;
      if (IsStore(next.kind)) run.kind = StepKind::kStore;
    }
    if (count == 1) return run;
    run.offset += static_cast<std::uint64_t>(begin);
    run.size = LineBoundOf(static_cast<std::uint64_t>(end - begin), run.kind);
    run.steps = static_cast<std::uint8_t>(count + 1);
    return run;
  }

  std::uint16_t LineBoundOf(std::uint64_t bytes, StepKind kind) const {
    return model::RecentLines::LineBoundOf(lines_.data, bytes, IsStore(kind)).max_offset;
  }

  void AddInstruction(std::uint32_t at, std::uint32_t bytes) {
    AddAccesses(at);
    const std::uint64_t address = block_.address + at;
    const std::uint64_t first = LineOf(address);
    const std::uint64_t last = LineOf(address + bytes - 1);
    if (at == 0) {
      described_.kind.first_line = first == last ? first : kNoLine;
      described_.kind.first_bytes =
          static_cast<std::uint8_t>(std::min<std::uint32_t>(bytes, UINT8_MAX));
    } else if (first != line_ || last != line_) {
      described_.steps.push_back({address, static_cast<std::uint16_t>(bytes - 1),
                                  static_cast<std::uint16_t>(at), 0, StepKind::kFetch});
    }
    line_ = last;
  }

  void Weigh(const Instruction& instruction) {
    described_.facts.loads += instruction.loads;
    described_.facts.stores += instruction.stores;
  }

  const format::FlowBlock& block_;
  std::uint64_t number_;
  LineBytes lines_;
  std::uint64_t line_ = kNothingFetched;
  std::size_t next_ = 0;  // next access
  DescribedBlock described_;
};

Result<void> RequirePossible(const format::FlowBlock& block) {
  const auto damaged = [&](const char* what) {
    return Fail(
        ErrorKind::kFormat,
        fmt::format("flow: the description of the block at {:#x} has {}", block.address, what));
  };
  if (block.words == 0) return damaged("no words");
  if (block.words > TARE_FLOW_RECORD_WORDS) return damaged("too many words");
  if (block.block > UINT32_MAX) return damaged("a number that is too large");
  if (block.code.size() < block.code_bytes) return damaged("no code");
  if (block.accesses.size() + block.code_bytes > UINT16_MAX) return damaged("too many accesses");
  if (block.code_bytes == 0 && !block.accesses.empty()) return damaged("accesses but no code");
  for (const format::FlowAccess& access : block.accesses) {
    if (access.word >= block.words) return damaged("an address that is in none of its words");
    if (access.bytes == 0 || access.bytes > kMaxBytes) return damaged("an access of 0 bytes");
    if (access.code_offset >= block.code_bytes) return damaged("an access beyond its code");
  }
  return {};
}

}  // namespace

Result<DescribedBlock> Describe(const format::FlowBlock& block, std::uint64_t number,
                                decode::Architecture architecture, LineBytes lines) {
  TRY_VOID(RequirePossible(block));
  // Valgrind gives an instruction that it cannot decode no length. Its first byte is fetched.
  static constexpr std::array kUnknown = {std::byte{0}};
  format::FlowBlock undecoded;
  if (block.code_bytes == 0) {
    undecoded = block;
    undecoded.code_bytes = 1;
    undecoded.code = kUnknown;
  }
  Describer describer(block.code_bytes == 0 ? undecoded : block, number, lines);
  if (block.operation) {
    describer.AddOperation(architecture);
  } else {
    describer.AddCode(architecture);
  }
  return std::move(describer).Take();
}

}  // namespace tare::vpmu
