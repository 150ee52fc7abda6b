// flow_graph.cc: finding leaders, then blocks, then edges.
#include "binary/code/flow_graph.h"

#include <algorithm>
#include <cstring>

#include "binary/code/function_walk.h"
#include "binary/code/jump_tables.h"

namespace tare::code {
namespace {

using decode::BranchKind;

bool IsCall(BranchKind kind) {
  return kind == BranchKind::kCall || kind == BranchKind::kIndirectCall;
}

// ud2, hlt and int3; udf and brk: compilers put them where control must not continue.
bool TrapsOrBreaks(bool x86, std::span<const std::byte> code) {
  if (x86) {
    const bool ud2 = code.size() >= 2 && code[0] == std::byte{0x0f} && code[1] == std::byte{0x0b};
    return ud2 || code[0] == std::byte{0xf4} || code[0] == std::byte{0xcc};
  }
  std::uint32_t word = 0;
  std::memcpy(&word, code.data(), std::min(code.size(), sizeof(word)));
  return (word & 0xffff0000) == 0 || (word & 0xffe0001f) == 0xd4200000;
}

struct Step {
  Piece piece;
  bool traps = false;
  bool never_returns = false;
  bool comes_back = false;
  bool always_returns = false;
  bool ends = false;  // of a block
};

class Reader {
 public:
  Reader(const elf::ElfImage& image, const elf::Function& function, decode::Decoder& decoder,
         const FlowHints& hints)
      : function_(function),
        hints_(hints),
        x86_(image.architecture() == decode::Architecture::kX86_64),
        tables_(FindJumpTargets(image, function, decoder, {})) {
    FunctionWalk walk(image, function, decoder, {});
    while (walk.Next()) {
      const Piece& piece = walk.piece();
      if (piece.kind != PieceKind::kInstruction) continue;
      Step step;
      step.piece = piece;
      step.traps = TrapsOrBreaks(x86_, image.Code(piece.address, piece.bytes));
      steps_.push_back(step);
    }
  }

  FlowGraph Read() {
    MarkCalls();
    FindLeaders();
    MakeBlocks();
    if (!graph_.blocks.empty()) Add(kOutside, 0, FlowKind::kEnter);
    for (std::uint32_t i = 0; i < graph_.blocks.size(); ++i) Leave(i);
    AddUnknownJumps();
    return std::move(graph_);
  }

 private:
  bool Inside(std::uint64_t address) const {
    return function_.start <= address && address < function_.end;
  }

  std::size_t StepAt(std::uint64_t address) const {
    return static_cast<std::size_t>(
        std::ranges::lower_bound(steps_, address, {},
                                 [](const Step& step) { return step.piece.address; }) -
        steps_.begin());
  }

  void MarkCalls() {
    for (const std::uint64_t address : hints_.no_return) {
      for (std::size_t i = StepAt(address); i < steps_.size(); ++i) {
        const BranchKind branch = steps_[i].piece.instruction.branch;
        if (IsCall(branch)) steps_[i].never_returns = true;
        if (branch != BranchKind::kNone) break;
      }
    }
    for (const std::uint64_t address : hints_.comes_back) MarkBefore(address, &Step::comes_back);
    for (const std::uint64_t address : hints_.came_back) MarkBefore(address, &Step::always_returns);
  }

  void MarkBefore(std::uint64_t address, bool Step::* mark) {
    for (std::size_t i = std::min(StepAt(address), steps_.size()); i-- > 0;) {
      const BranchKind branch = steps_[i].piece.instruction.branch;
      if (IsCall(branch)) steps_[i].*mark = true;
      if (branch != BranchKind::kNone) break;
    }
  }

  bool HasPad(std::uint64_t address) const {
    return std::ranges::any_of(hints_.pads,
                               [&](const auto& pad) { return pad.calls.Contains(address); });
  }

  bool EndsBlock(const Step& step) const {
    const BranchKind branch = step.piece.instruction.branch;
    if (step.traps) return true;
    if (!IsCall(branch)) return branch != BranchKind::kNone;
    if (step.never_returns || step.comes_back || HasPad(step.piece.address)) return true;
    return hints_.calls_may_not_return && !step.always_returns;
  }

  void FindLeaders() {
    if (!steps_.empty()) leaders_.insert(steps_.front().piece.address);
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      Step& step = steps_[i];
      step.ends = EndsBlock(step);
      if (step.ends && i + 1 < steps_.size()) leaders_.insert(steps_[i + 1].piece.address);
      const auto& instruction = step.piece.instruction;
      const bool jumps =
          instruction.branch == BranchKind::kJump || instruction.branch == BranchKind::kConditional;
      if (jumps && instruction.target && Inside(*instruction.target)) {
        leaders_.insert(*instruction.target);
      }
    }
    for (const auto& [jump, targets] : tables_) leaders_.insert(targets.begin(), targets.end());
    for (const auto& pad : hints_.pads) {
      if (Inside(pad.pad)) leaders_.insert(pad.pad);
    }
  }

  void MakeBlocks() {
    bool open = false;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      const Piece& piece = steps_[i].piece;
      const bool apart =
          i > 0 && steps_[i - 1].piece.address + steps_[i - 1].piece.bytes != piece.address;
      if (!open || apart || leaders_.contains(piece.address)) {
        graph_.blocks.push_back({piece.address, 0, 0, false, false, std::nullopt});
        last_.push_back(i);
      }
      FlowBlock& block = graph_.blocks.back();
      block.bytes = static_cast<std::uint32_t>(piece.address + piece.bytes - block.address);
      ++block.instructions;
      last_.back() = i;
      open = !steps_[i].ends;
    }
  }

  void Add(std::uint32_t from, std::uint32_t to, FlowKind kind) {
    graph_.edges.push_back({from, to, kind});
  }

  void AddTo(std::uint32_t from, std::uint64_t target, FlowKind kind) {
    const std::uint32_t block = graph_.BlockAt(target);
    const bool leads = block != kOutside && graph_.blocks[block].address == target;
    if (leads) {
      Add(from, block, kind);
    } else {
      Add(from, kOutside, FlowKind::kTailCall);
    }
  }

  void GoOn(std::uint32_t from) {
    const bool more =
        from + 1 < graph_.blocks.size() &&
        graph_.blocks[from].address + graph_.blocks[from].bytes == graph_.blocks[from + 1].address;
    if (more) {
      Add(from, from + 1, FlowKind::kNext);
    } else {
      Add(from, kOutside, FlowKind::kStop);
    }
  }

  void LeaveByCall(std::uint32_t from, const Step& step) {
    FlowBlock& block = graph_.blocks[from];
    block.calls = true;
    if (step.piece.instruction.target) block.callee = step.piece.instruction.target;
    for (const auto& pad : hints_.pads) {
      if (!pad.calls.Contains(step.piece.address)) continue;
      const std::uint32_t to = graph_.BlockAt(pad.pad);
      if (to != kOutside) Add(from, to, FlowKind::kUnwound);
    }
    if (step.never_returns) {
      Add(from, kOutside, FlowKind::kStop);
      return;
    }
    GoOn(from);
    if (step.comes_back && from + 1 < graph_.blocks.size()) {
      Add(kOutside, from + 1, FlowKind::kAgain);
    }
    if (hints_.calls_may_not_return && !step.always_returns) Add(from, kOutside, FlowKind::kLost);
  }

  void Leave(std::uint32_t from) {
    const Step& step = steps_[last_[from]];
    const auto& instruction = step.piece.instruction;
    if (hints_.may_stop_anywhere) Add(from, kOutside, FlowKind::kLost);
    if (!step.ends) {
      GoOn(from);
      return;
    }
    if (step.traps) {
      Add(from, kOutside, FlowKind::kStop);
      return;
    }
    switch (instruction.branch) {
      case BranchKind::kConditional:
        graph_.blocks[from].conditional = true;
        GoOn(from);
        [[fallthrough]];
      case BranchKind::kJump:
        if (instruction.target && Inside(*instruction.target)) {
          AddTo(from, *instruction.target, FlowKind::kTaken);
        } else {
          graph_.blocks[from].callee = instruction.target;
          Add(from, kOutside, FlowKind::kTailCall);
        }
        break;
      case BranchKind::kIndirectJump:
        LeaveByTable(from, step.piece.address);
        break;
      case BranchKind::kReturn:
        Add(from, kOutside, FlowKind::kReturn);
        break;
      default:
        LeaveByCall(from, step);
    }
  }

  void LeaveByTable(std::uint32_t from, std::uint64_t jump) {
    const auto table = tables_.find(jump);
    if (table == tables_.end()) {
      Add(from, kOutside, FlowKind::kTailCall);
      return;
    }
    for (const std::uint64_t target : table->second) AddTo(from, target, FlowKind::kTable);
    if (table->second.empty()) unknown_jumps_.push_back(from);
  }

  // Jumps with unknown targets may go to every block that no other edge reaches.
  void AddUnknownJumps() {
    if (unknown_jumps_.empty()) return;
    std::vector<bool> reached(graph_.blocks.size(), false);
    for (const FlowEdge& edge : graph_.edges) {
      if (edge.to != kOutside) reached[edge.to] = true;
    }
    for (std::uint32_t to = 0; to < graph_.blocks.size(); ++to) {
      if (reached[to]) continue;
      for (const std::uint32_t from : unknown_jumps_) Add(from, to, FlowKind::kTable);
    }
  }

  const elf::Function& function_;
  const FlowHints& hints_;
  bool x86_;
  JumpTargets tables_;
  std::vector<Step> steps_;
  std::set<std::uint64_t> leaders_;
  std::vector<std::size_t> last_;  // last step of each block
  std::vector<std::uint32_t> unknown_jumps_;
  FlowGraph graph_;
};

}  // namespace

std::uint32_t FlowGraph::BlockAt(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(blocks, address, {}, &FlowBlock::address);
  if (after == blocks.begin()) return kOutside;
  const auto block = after - 1;
  if (address >= block->address + block->bytes) return kOutside;
  return static_cast<std::uint32_t>(block - blocks.begin());
}

FlowGraph ReadFlowGraph(const elf::ElfImage& image, const elf::Function& function,
                        decode::Decoder& decoder, const FlowHints& hints) {
  return Reader(image, function, decoder, hints).Read();
}

}  // namespace tare::code
