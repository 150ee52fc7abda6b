// value_graph.cc: values by forward walks through the pieces, and merges on demand.
#include "predict/signature/value_graph.h"

#include <algorithm>
#include <optional>

#include "predict/signature/instruction_work.h"

namespace tare::signature {
namespace {

using decode::Architecture;
using decode::BranchKind;
using decode::kNoRegister;
using decode::kRegisters;
using decode::RegisterSet;

constexpr std::size_t kMaxSlots = 1024;

bool CallsOther(const decode::Instruction& it) {
  return it.branch == BranchKind::kCall || it.branch == BranchKind::kIndirectCall;
}

class ValueBuilder {
 public:
  ValueBuilder(Architecture architecture, const CodeGraph& graph, std::uint32_t loop)
      : architecture_(architecture), graph_(graph), loop_(loop) {
    stack_ = architecture == Architecture::kX86_64 ? 4 : 31;
    frame_ = architecture == Architecture::kX86_64 ? 5 : 29;
  }

  std::vector<Value> Build() && {
    ChoosePieces();
    FindWritten();
    FindSlots();
    for (const std::uint32_t piece : pieces_) Walk(piece);
    for (std::size_t i = 0; i < merges_.size(); ++i) FillMerge(merges_[i]);
    return std::move(values_);
  }

 private:
  struct Merge {
    std::uint32_t value;
    std::uint32_t piece;
    std::size_t name;  // of a register or slot
  };

  void ChoosePieces() {
    inside_.assign(graph_.pieces.size(), loop_ == kNoLoop);
    if (loop_ == kNoLoop) {
      for (std::uint32_t i = 0; i < graph_.pieces.size(); ++i) pieces_.push_back(i);
    } else {
      pieces_ = graph_.loops[loop_].pieces;
      for (const std::uint32_t piece : pieces_) inside_[piece] = true;
    }
    std::ranges::sort(pieces_, {},
                      [this](std::uint32_t piece) { return graph_.pieces[piece].order; });
  }

  template <typename Visit>
  void ForEachStep(Visit visit) const {
    for (const std::uint32_t piece : pieces_) {
      const CodePiece& code = graph_.pieces[piece];
      for (std::size_t i = code.first; i < code.first + code.steps; ++i) visit(graph_.steps[i]);
    }
  }

  void FindWritten() {
    ForEachStep([this](const CodeStep& step) {
      written_ |= step.use.writes | step.use.stepped;
      RegisterSet from_stack;
      from_stack.set(stack_);
      if (step.use.writes.test(frame_) && step.use.values == from_stack) frame_is_set_ = true;
    });
  }

  bool Changes(std::uint8_t name) const { return name != kNoRegister && written_.test(name); }

  // The same address in all iterations.
  bool IsFixed(const decode::MemoryOperand& operand) const {
    return !Changes(operand.base) && !Changes(operand.index);
  }

  // Fixed, or a local variable.
  bool IsScalar(const decode::MemoryOperand& operand) const {
    const bool local = operand.index == kNoRegister &&
                       (operand.base == stack_ || (operand.base == frame_ && frame_is_set_));
    return local || IsFixed(operand);
  }

  // Memory that the loop both writes and reads at a fixed address.
  void FindSlots() {
    ForEachStep([this](const CodeStep& step) {
      const auto& memory = step.use.memory;
      const bool stores = step.instruction.stores > 0 && !CallsOther(step.instruction);
      if (!stores || !memory || !IsFixed(*memory) || slots_.size() >= kMaxSlots) return;
      if (step.instruction.stack_operation) return;
      slots_.try_emplace(*memory, kRegisters + slots_.size());
    });
    current_.assign(kRegisters + slots_.size(), kNoValue);
    leaving_.assign(graph_.pieces.size(), {});
    entering_.assign(graph_.pieces.size(), {});
    for (const std::uint32_t piece : pieces_) {
      entering_[piece].assign(current_.size(), kNoValue);
    }
  }

  std::uint32_t Make(ValueKind kind, std::uint32_t piece, std::size_t step, double latency) {
    values_.push_back({kind, false, piece, step, latency, {}});
    return static_cast<std::uint32_t>(values_.size() - 1);
  }

  std::uint32_t Entering(std::uint32_t piece, std::size_t name) {
    std::uint32_t& known = entering_[piece][name];
    if (known != kNoValue) return known;
    known = Make(ValueKind::kMerge, piece, 0, 0);
    merges_.push_back({known, piece, name});
    return known;
  }

  std::uint32_t Current(std::uint32_t piece, std::size_t name) {
    return current_[name] != kNoValue ? current_[name] : Entering(piece, name);
  }

  void AddInputs(std::uint32_t value, std::uint32_t piece, const RegisterSet& names, bool address) {
    for (std::size_t name = 0; name < kRegisters; ++name) {
      if (!names.test(name) || !written_.test(name)) continue;
      const std::uint32_t from = Current(piece, name);
      values_[value].inputs.push_back({from, false, address});
    }
  }

  void AddInput(std::uint32_t value, std::uint32_t from) {
    if (from != kNoValue) values_[value].inputs.push_back({from, false, false});
  }

  std::optional<std::size_t> SlotOf(const CodeStep& step) const {
    if (!step.use.memory || step.instruction.stack_operation) return std::nullopt;
    const auto found = slots_.find(*step.use.memory);
    if (found == slots_.end()) return std::nullopt;
    return found->second;
  }

  void Walk(std::uint32_t piece) {
    std::ranges::fill(current_, kNoValue);
    const CodePiece& code = graph_.pieces[piece];
    for (std::size_t i = code.first; i < code.first + code.steps; ++i) Execute(piece, i);
    leaving_[piece] = current_;
  }

  void Execute(std::uint32_t piece, std::size_t index) {
    const CodeStep& step = graph_.steps[index];
    const auto& use = step.use;
    const auto& it = step.instruction;
    if (CallsOther(it)) {
      // What a call returns is not followed.
      const std::uint32_t result = Make(ValueKind::kOperation, piece, index, 0);
      Write(use.writes, result);
      return;
    }
    const auto slot = SlotOf(step);
    std::uint32_t load = kNoValue;
    if (it.loads > 0) {
      load = Make(ValueKind::kLoad, piece, index, ReferenceLatency(Work::kLoad));
      values_[load].varies = !use.memory || !IsScalar(*use.memory);
      AddInputs(load, piece, use.address, true);
      if (slot) AddInput(load, Current(piece, *slot));
    }
    const auto work = OperationOf(architecture_, it);
    const bool operates = work.has_value() || use.values.any() || load == kNoValue;
    std::uint32_t result = load;
    if (operates && (use.writes.any() || it.stores > 0)) {
      const double latency = work && !use.moves ? ReferenceLatency(*work) : 0;
      result = Make(ValueKind::kOperation, piece, index, latency);
      AddInputs(result, piece, use.values, false);
      AddInput(result, load);
    }
    std::uint32_t stored = kNoValue;
    if (it.stores > 0) {
      stored = Make(ValueKind::kStore, piece, index, ReferenceLatency(Work::kStore));
      AddInput(stored, result);
      AddInputs(stored, piece, use.address, true);
    }
    Step(piece, index);
    Write(use.writes, result);
    if (slot && stored != kNoValue) current_[*slot] = stored;
  }

  void Step(std::uint32_t piece, std::size_t index) {
    const auto& use = graph_.steps[index].use;
    if (use.stepped.none()) return;
    // The stack pointer of x86-64 changes in the front end of processors.
    const bool free = architecture_ == Architecture::kX86_64 && use.stepped.test(stack_);
    const double latency = free ? 0 : ReferenceLatency(Work::kInteger);
    const std::uint32_t value = Make(ValueKind::kStep, piece, index, latency);
    AddInputs(value, piece, use.stepped, false);
    Write(use.stepped, value);
  }

  void Write(const RegisterSet& names, std::uint32_t value) {
    for (std::size_t name = 0; name < kRegisters; ++name)
      if (names.test(name)) current_[name] = value;
  }

  void FillMerge(const Merge merge) {
    const std::uint32_t header = loop_ == kNoLoop ? kNoValue : graph_.loops[loop_].header;
    for (const std::uint32_t from : graph_.pieces[merge.piece].previous) {
      if (!inside_[from]) continue;
      const bool carried = merge.piece == header;
      // Back edges of inner loops, and what remains of loops with several entries.
      if (!carried && graph_.pieces[from].order >= graph_.pieces[merge.piece].order) continue;
      const std::uint32_t left = leaving_[from][merge.name];
      const std::uint32_t value = left != kNoValue ? left : Entering(from, merge.name);
      values_[merge.value].inputs.push_back({value, carried, false});
    }
  }

  Architecture architecture_;
  const CodeGraph& graph_;
  std::uint32_t loop_;
  std::uint8_t stack_;
  std::uint8_t frame_;
  bool frame_is_set_ = false;
  std::vector<bool> inside_;           // by piece
  std::vector<std::uint32_t> pieces_;  // in order
  RegisterSet written_;
  std::map<decode::MemoryOperand, std::size_t> slots_;  // names behind the registers
  std::vector<std::uint32_t> current_;                  // by name
  std::vector<std::vector<std::uint32_t>> leaving_;     // by piece and name
  std::vector<std::vector<std::uint32_t>> entering_;
  std::vector<Merge> merges_;
  std::vector<Value> values_;
};

}  // namespace

std::vector<Value> BuildValues(Architecture architecture, const CodeGraph& graph,
                               std::uint32_t loop) {
  return ValueBuilder(architecture, graph, loop).Build();
}

}  // namespace tare::signature
