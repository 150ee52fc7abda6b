// code_graph.cc: pieces of code, edges, dominators (Cooper, Harvey and Kennedy, "A Simple, Fast
// Dominance Algorithm", 2001) and natural loops.
#include "predict/signature/code_graph.h"

#include <algorithm>
#include <map>
#include <set>

namespace tare::signature {
namespace {

using decode::BranchKind;

constexpr std::uint64_t kUnknownCount = UINT64_MAX;
constexpr std::uint32_t kNoPiece = UINT32_MAX;

// Executions of the recorded blocks that contain a step, and where control went behind it.
struct StepCounts {
  std::uint64_t executions = 0;
  std::uint64_t not_taken = 0;
  bool ends_block = false;
};

class GraphBuilder {
 public:
  GraphBuilder(decode::Architecture architecture, const code::JumpTargets& jumps)
      : architecture_(architecture), jumps_(jumps) {}

  CodeGraph Build(std::span<const RecordedBlock> blocks) && {
    for (const RecordedBlock& block : blocks) AddBlock(block);
    NumberSteps();
    FindLeaders();
    MakePieces();
    for (std::uint32_t i = 0; i < graph_.pieces.size(); ++i) Connect(i);
    AddUnknownJumps();
    for (std::uint32_t i = 0; i < graph_.pieces.size(); ++i)
      for (const std::uint32_t to : graph_.pieces[i].next) graph_.pieces[to].previous.push_back(i);
    Order();
    FindDominators();
    FindLoops();
    return std::move(graph_);
  }

 private:
  void AddBlock(const RecordedBlock& block) {
    std::size_t at = 0;
    std::uint64_t last = 0;
    for (std::uint32_t i = 0; i < block.instructions && at < block.code.size(); ++i) {
      const std::uint64_t address = block.address + at;
      const auto code = block.code.subspan(at);
      const auto [found, is_new] = steps_.try_emplace(address);
      if (is_new) {
        const auto decoded = decode::Decode(architecture_, code, address);
        if (!decoded) {
          steps_.erase(found);
          break;
        }
        found->second.step = {address, *decoded, decode::UseOf(architecture_, code, address)};
      }
      found->second.counts.executions += block.executions;
      at += found->second.step.instruction.length;
      last = address;
    }
    leaders_.insert(block.address);
    const auto found = steps_.find(last);
    if (found == steps_.end()) return;
    found->second.counts.ends_block = true;
    found->second.counts.not_taken += block.conditional ? block.not_taken : 0;
  }

  void NumberSteps() {
    for (const auto& [address, known] : steps_) {
      graph_.step_at[address] = graph_.steps.size();
      graph_.steps.push_back(known.step);
      counts_.push_back(known.counts);
    }
    steps_.clear();
  }

  bool FallsThrough(std::size_t step) const {
    switch (graph_.steps[step].instruction.branch) {
      case BranchKind::kJump:
      case BranchKind::kIndirectJump:
      case BranchKind::kReturn:
        return false;
      case BranchKind::kConditional:
        return counts_[step].not_taken > 0;
      default:
        return true;
    }
  }

  static std::uint64_t After(const CodeStep& step) {
    return step.address + step.instruction.length;
  }

  void FindLeaders() {
    for (std::size_t i = 0; i < graph_.steps.size(); ++i) {
      const CodeStep& step = graph_.steps[i];
      if (step.instruction.target) leaders_.insert(*step.instruction.target);
      const bool next = i + 1 < graph_.steps.size() && graph_.steps[i + 1].address == After(step);
      if (!next) leaders_.insert(After(step));
    }
    for (const auto& [jump, targets] : jumps_) leaders_.insert(targets.begin(), targets.end());
  }

  void MakePieces() {
    for (std::size_t i = 0; i < graph_.steps.size(); ++i) {
      const CodeStep& step = graph_.steps[i];
      const bool goes_on = i > 0 && After(graph_.steps[i - 1]) == step.address &&
                           graph_.steps[i - 1].instruction.branch == BranchKind::kNone &&
                           !leaders_.contains(step.address);
      if (!goes_on) {
        CodePiece piece;
        piece.first = i;
        piece.executions = counts_[i].executions;
        graph_.pieces.push_back(std::move(piece));
      }
      ++graph_.pieces.back().steps;
      graph_.piece_of.push_back(static_cast<std::uint32_t>(graph_.pieces.size() - 1));
    }
  }

  // The piece that starts there.
  std::uint32_t PieceAt(std::uint64_t address) const {
    const auto found = graph_.step_at.find(address);
    if (found == graph_.step_at.end()) return kNoPiece;
    const std::uint32_t piece = graph_.piece_of[found->second];
    return graph_.pieces[piece].first == found->second ? piece : kNoPiece;
  }

  void Add(std::uint32_t from, std::uint64_t to, std::uint64_t count) {
    const std::uint32_t piece = PieceAt(to);
    if (piece == kNoPiece || count == 0) return;
    CodePiece& source = graph_.pieces[from];
    const auto found = std::ranges::find(source.next, piece);
    if (found == source.next.end()) {
      source.next.push_back(piece);
      source.taken.push_back(count);
      return;
    }
    std::uint64_t& taken = source.taken[static_cast<std::size_t>(found - source.next.begin())];
    taken = taken == kUnknownCount || count == kUnknownCount ? kUnknownCount : taken + count;
  }

  void Connect(std::uint32_t from) {
    const CodePiece& piece = graph_.pieces[from];
    const std::size_t last = piece.first + piece.steps - 1;
    const CodeStep& step = graph_.steps[last];
    const StepCounts& counts = counts_[last];
    const bool conditional = step.instruction.branch == BranchKind::kConditional;
    const std::uint64_t falls =
        conditional ? std::min(counts.not_taken, counts.executions) : counts.executions;
    if (FallsThrough(last)) Add(from, After(step), falls);
    if (step.instruction.branch == BranchKind::kJump || conditional) {
      const std::uint64_t taken = conditional ? counts.executions - falls : counts.executions;
      if (step.instruction.target) Add(from, *step.instruction.target, taken);
    }
    if (step.instruction.branch != BranchKind::kIndirectJump) return;
    const auto table = jumps_.find(step.address);
    if (table == jumps_.end()) return;
    for (const std::uint64_t target : table->second) Add(from, target, kUnknownCount);
    if (table->second.empty()) unknown_jumps_.push_back(from);
  }

  // Jumps whose targets are unknown may go to every piece that no other edge reaches.
  void AddUnknownJumps() {
    if (unknown_jumps_.empty()) return;
    std::vector<bool> reached(graph_.pieces.size(), false);
    for (const CodePiece& piece : graph_.pieces)
      for (const std::uint32_t to : piece.next) reached[to] = true;
    for (std::uint32_t to = 1; to < graph_.pieces.size(); ++to) {
      if (reached[to]) continue;
      for (const std::uint32_t from : unknown_jumps_)
        Add(from, graph_.steps[graph_.pieces[to].first].address, kUnknownCount);
    }
  }

  // Whether control came from outside, too: by calls, exceptions, unknown jumps.
  bool IsEntered(std::uint32_t piece) const {
    std::uint64_t incoming = 0;
    for (const std::uint32_t from : graph_.pieces[piece].previous) {
      const CodePiece& source = graph_.pieces[from];
      const auto edge = std::ranges::find(source.next, piece) - source.next.begin();
      const std::uint64_t count = source.taken[static_cast<std::size_t>(edge)];
      if (count == kUnknownCount) return false;
      incoming += count;
    }
    return incoming < graph_.pieces[piece].executions;
  }

  // Reverse post-order from the pieces that are entered from outside, then from whatever is left.
  void Order() {
    const std::size_t count = graph_.pieces.size();
    std::vector<bool> seen(count, false);
    std::vector<std::uint32_t> post;
    const auto visit = [&](std::uint32_t root) {
      if (seen[root]) return;
      entries_.push_back(root);
      std::vector<std::pair<std::uint32_t, std::size_t>> stack = {{root, 0}};
      seen[root] = true;
      while (!stack.empty()) {
        auto& [piece, next] = stack.back();
        const auto& to = graph_.pieces[piece].next;
        if (next == to.size()) {
          post.push_back(piece);
          stack.pop_back();
          continue;
        }
        const std::uint32_t target = to[next++];
        if (!seen[target]) {
          seen[target] = true;
          stack.emplace_back(target, 0);
        }
      }
    };
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!IsEntered(i)) continue;
      visit(i);
      if (std::ranges::find(entries_, i) == entries_.end()) entries_.push_back(i);
    }
    for (std::uint32_t i = 0; i < count; ++i) visit(i);
    order_.assign(post.rbegin(), post.rend());
    for (std::uint32_t i = 0; i < order_.size(); ++i) graph_.pieces[order_[i]].order = i;
  }

  // Dominators by order numbers plus one; 0 is outside of the function.
  void FindDominators() {
    const std::size_t count = order_.size();
    dominator_.assign(count + 1, kNoPiece);
    dominator_[0] = 0;
    std::vector<bool> is_entry(count, false);
    for (const std::uint32_t piece : entries_) is_entry[graph_.pieces[piece].order] = true;
    const auto common = [this](std::uint32_t a, std::uint32_t b) {
      while (a != b) {
        while (a > b) a = dominator_[a];
        while (b > a) b = dominator_[b];
      }
      return a;
    };
    bool changed = true;
    while (changed) {
      changed = false;
      for (std::uint32_t i = 0; i < count; ++i) {
        std::uint32_t best = is_entry[i] ? 0 : kNoPiece;
        for (const std::uint32_t from : graph_.pieces[order_[i]].previous) {
          const std::uint32_t number = graph_.pieces[from].order + 1;
          if (dominator_[number] == kNoPiece) continue;
          best = best == kNoPiece ? number : common(best, number);
        }
        if (dominator_[i + 1] == best) continue;
        dominator_[i + 1] = best;
        changed = true;
      }
    }
  }

  bool Dominates(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t wanted = graph_.pieces[a].order + 1;
    std::uint32_t at = graph_.pieces[b].order + 1;
    while (at > wanted) at = dominator_[at];
    return at == wanted;
  }

  void FindLoops() {
    std::map<std::uint32_t, std::vector<std::uint32_t>> latches;  // by header
    for (std::uint32_t from = 0; from < graph_.pieces.size(); ++from)
      for (const std::uint32_t to : graph_.pieces[from].next)
        if (Dominates(to, from)) latches[to].push_back(from);
    for (const auto& [header, ends] : latches) graph_.loops.push_back(LoopOf(header, ends));
    std::ranges::stable_sort(graph_.loops, {}, [](const auto& loop) { return loop.pieces.size(); });
    Nest();
  }

  CodeLoop LoopOf(std::uint32_t header, const std::vector<std::uint32_t>& latches) {
    CodeLoop loop;
    loop.header = header;
    std::vector<bool> inside(graph_.pieces.size(), false);
    inside[header] = true;
    loop.pieces.push_back(header);
    std::vector<std::uint32_t> open = latches;
    while (!open.empty()) {
      const std::uint32_t piece = open.back();
      open.pop_back();
      if (inside[piece]) continue;
      inside[piece] = true;
      loop.pieces.push_back(piece);
      for (const std::uint32_t from : graph_.pieces[piece].previous) open.push_back(from);
    }
    std::ranges::sort(loop.pieces);
    loop.iterations = graph_.pieces[header].executions;
    loop.entries = EntriesOf(loop, inside);
    return loop;
  }

  // Executions of the header that did not come by a back edge; where the counts of back edges are
  // unknown, those of the edges from outside.
  std::uint64_t EntriesOf(const CodeLoop& loop, const std::vector<bool>& inside) const {
    std::uint64_t back = 0;
    std::uint64_t forward = 0;
    bool back_known = true;
    for (const std::uint32_t from : graph_.pieces[loop.header].previous) {
      const CodePiece& piece = graph_.pieces[from];
      const auto edge = std::ranges::find(piece.next, loop.header) - piece.next.begin();
      const std::uint64_t count = piece.taken[static_cast<std::size_t>(edge)];
      if (!inside[from] && count != kUnknownCount) forward += count;
      if (!inside[from]) continue;
      if (count == kUnknownCount) back_known = false;
      if (count != kUnknownCount) back += count;
    }
    if (!back_known) return std::min(forward, loop.iterations);
    return loop.iterations - std::min(back, loop.iterations);
  }

  void Nest() {
    for (std::uint32_t i = 0; i < graph_.loops.size(); ++i) {
      for (const std::uint32_t piece : graph_.loops[i].pieces) {
        std::uint32_t& innermost = graph_.pieces[piece].loop;
        if (innermost == kNoLoop) {
          innermost = i;
          continue;
        }
        std::uint32_t outermost = innermost;
        while (graph_.loops[outermost].parent != kNoLoop)
          outermost = graph_.loops[outermost].parent;
        if (outermost != i) graph_.loops[outermost].parent = i;
      }
    }
  }

  struct KnownStep {
    CodeStep step;
    StepCounts counts;
  };

  decode::Architecture architecture_;
  const code::JumpTargets& jumps_;
  std::map<std::uint64_t, KnownStep> steps_;
  std::set<std::uint64_t> leaders_;
  std::vector<StepCounts> counts_;  // by step
  std::vector<std::uint32_t> unknown_jumps_;
  std::vector<std::uint32_t> entries_;
  std::vector<std::uint32_t> order_;  // pieces in reverse post-order
  std::vector<std::uint32_t> dominator_;
  CodeGraph graph_;
};

}  // namespace

CodeGraph BuildCodeGraph(decode::Architecture architecture, std::span<const RecordedBlock> blocks,
                         const code::JumpTargets& jumps) {
  return GraphBuilder(architecture, jumps).Build(blocks);
}

}  // namespace tare::signature
