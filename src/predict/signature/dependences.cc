// dependences.cc: loads by their address, and the longest chain of every loop.
#include "predict/signature/dependences.h"

#include <algorithm>
#include <span>

#include "predict/signature/value_cycles.h"
#include "predict/signature/value_graph.h"

namespace tare::signature {
namespace {

// Alternative paths through a loop whose own chains are looked for.
constexpr std::size_t kMaxAlternatives = 32;

// The dependences within one loop, or within a function outside of its loops.
class Region {
 public:
  Region(decode::Architecture architecture, const CodeGraph& graph, std::uint32_t loop)
      : graph_(graph),
        loop_(loop),
        values_(BuildValues(architecture, graph, loop)),
        components_(FindComponents(values_)) {}

  void ClassifyLoads(std::vector<StepDependence>& to) const {
    const std::vector<bool> loaded = NeedLoads();
    for (std::uint32_t i = 0; i < values_.size(); ++i) {
      const Value& value = values_[i];
      if (value.kind != ValueKind::kLoad || graph_.pieces[value.piece].loop != loop_) continue;
      AddressKind kind = AddressKind::kIndependent;
      for (const ValueInput& input : value.inputs) {
        if (!input.address) continue;
        const std::uint32_t needed = components_.of[input.value];
        if (needed == components_.of[i]) kind = AddressKind::kChained;
        if (loaded[needed] && kind == AddressKind::kIndependent) kind = AddressKind::kIndirect;
      }
      to[value.step].address = kind;
    }
  }

  // Returns the steps of the longest chain.
  std::vector<std::size_t> FindChain(std::vector<StepDependence>& to) {
    if (loop_ == kNoLoop || graph_.loops[loop_].iterations == 0) return {};
    covered_.assign(graph_.pieces.size(), false);
    const auto weights = Weights();
    const ValueCycle chain = LongestCycle(values_, components_, weights);
    Attribute(chain, to);
    FindReach();
    // Paths that exclude a part of this chain have chains of their own.
    std::vector<std::uint32_t> others;
    for (const std::uint32_t piece : graph_.loops[loop_].pieces)
      if (IsAlternative(piece)) others.push_back(piece);
    std::ranges::stable_sort(others, std::ranges::greater{}, [this](std::uint32_t piece) {
      return graph_.pieces[piece].executions;
    });
    if (others.size() > kMaxAlternatives) others.resize(kMaxAlternatives);
    for (const std::uint32_t piece : others) {
      if (covered_[piece]) continue;
      auto possible = weights;
      for (std::size_t i = 0; i < values_.size(); ++i)
        if (Exclude(piece, values_[i].piece)) possible[i] = 0;
      Attribute(LongestCycle(values_, components_, possible), to);
    }
    std::vector<std::size_t> steps;
    for (const std::uint32_t index : chain.values) steps.push_back(values_[index].step);
    return steps;
  }

  // Whether any of the steps needs its own result of the iteration before.
  bool Carries(std::span<const std::size_t> steps) const {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      if (values_[i].kind == ValueKind::kMerge || !components_.cyclic[components_.of[i]]) continue;
      if (std::ranges::find(steps, values_[i].step) != steps.end()) return true;
    }
    return false;
  }

 private:
  // By component: whether its values need what a load of varying address returned.
  std::vector<bool> NeedLoads() const {
    std::vector<bool> needs(components_.cyclic.size(), false);
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i].kind == ValueKind::kLoad && values_[i].varies) needs[components_.of[i]] = true;
    // Components are numbered in the order of need.
    std::vector<std::vector<std::uint32_t>> members(components_.cyclic.size());
    for (std::uint32_t i = 0; i < values_.size(); ++i) members[components_.of[i]].push_back(i);
    for (std::size_t component = 0; component < members.size(); ++component)
      for (const std::uint32_t member : members[component])
        for (const ValueInput& input : values_[member].inputs)
          if (needs[components_.of[input.value]]) needs[component] = true;
    return needs;
  }

  // How often per iteration a value is computed: at most 1, because inner loops have chains of
  // their own.
  std::vector<double> Weights() const {
    const auto iterations = static_cast<double>(graph_.loops[loop_].iterations);
    std::vector<double> weights;
    for (const Value& value : values_) {
      const auto executions = static_cast<double>(graph_.pieces[value.piece].executions);
      weights.push_back(std::clamp(executions / iterations, 1e-9, 1.0));
    }
    return weights;
  }

  void Attribute(const ValueCycle& chain, std::vector<StepDependence>& to) {
    const std::vector<bool> before = covered_;
    for (const std::uint32_t index : chain.values) {
      const Value& value = values_[index];
      if (before[value.piece]) continue;
      covered_[value.piece] = true;
      if (graph_.pieces[value.piece].loop != loop_) continue;
      StepDependence& step = to[value.step];
      const double share = 1 / chain.iterations;
      if (value.kind == ValueKind::kLoad) step.load += share;
      if (value.kind == ValueKind::kOperation && value.latency > 0) step.operation += share;
      if (value.kind == ValueKind::kStore) step.store += share;
      if (value.kind == ValueKind::kStep && value.latency > 0) step.step += share;
    }
  }

  // Which pieces follow each piece of the loop in the same iteration.
  void FindReach() {
    const auto& pieces = graph_.loops[loop_].pieces;
    reach_.assign(graph_.pieces.size(), {});
    if (pieces.size() > kMaxPieces) return;
    std::vector<std::uint32_t> ordered = pieces;
    std::ranges::sort(ordered, std::ranges::greater{},
                      [this](std::uint32_t piece) { return graph_.pieces[piece].order; });
    for (const std::uint32_t piece : ordered) {
      std::vector<bool>& to = reach_[piece];
      to.assign(graph_.pieces.size(), false);
      to[piece] = true;
      for (const std::uint32_t next : graph_.pieces[piece].next) {
        if (graph_.pieces[next].order <= graph_.pieces[piece].order || reach_[next].empty())
          continue;
        for (std::size_t i = 0; i < to.size(); ++i)
          if (reach_[next][i]) to[i] = true;
      }
    }
  }

  // No iteration executes both.
  bool Exclude(std::uint32_t a, std::uint32_t b) const {
    if (reach_[a].empty() || reach_[b].empty()) return false;
    return !reach_[a][b] && !reach_[b][a];
  }

  bool IsAlternative(std::uint32_t piece) const {
    if (covered_[piece] || graph_.pieces[piece].loop != loop_) return false;
    for (const std::uint32_t other : graph_.loops[loop_].pieces)
      if (covered_[other] && Exclude(piece, other)) return true;
    return false;
  }

  static constexpr std::size_t kMaxPieces = 2000;

  const CodeGraph& graph_;
  std::uint32_t loop_;
  std::vector<Value> values_;
  Components components_;
  std::vector<bool> covered_;             // by piece: it is on a chain
  std::vector<std::vector<bool>> reach_;  // by piece; empty: not computed
};

// Where the longest chain of each loop starts anew: with each entry of the loop, or of the
// outermost loop that carries it on.
class ChainStarts {
 public:
  explicit ChainStarts(const CodeGraph& graph) : graph_(graph), instructions_(InstructionsOf()) {}

  // Before the chain of `loop` itself is added; inner loops come first.
  void Enclose(std::uint32_t loop, const Region& region) {
    for (Chain& chain : chains_) {
      if (graph_.loops[chain.starts].parent == loop && region.Carries(chain.steps)) {
        chain.starts = loop;
      }
    }
  }

  void Add(std::uint32_t loop, std::vector<std::size_t> steps) {
    chains_.push_back({loop, std::move(steps)});
  }

  // What is between two starts belongs to the loop around, if there is one.
  std::vector<double> Spans() const {
    std::vector<double> spans;
    for (const Chain& chain : chains_) {
      const CodeLoop& loop = graph_.loops[chain.starts];
      const std::uint32_t around = loop.parent == kNoLoop ? chain.starts : loop.parent;
      const bool restarts = !chain.steps.empty() && loop.entries > 0;
      spans.push_back(restarts ? instructions_[around] / static_cast<double>(loop.entries) : 0);
    }
    return spans;
  }

 private:
  struct Chain {
    std::uint32_t starts;
    std::vector<std::size_t> steps;
  };

  std::vector<double> InstructionsOf() const {
    std::vector<double> all;
    for (const CodeLoop& loop : graph_.loops) {
      double instructions = 0;
      for (const std::uint32_t piece : loop.pieces) {
        const CodePiece& code = graph_.pieces[piece];
        instructions += static_cast<double>(code.executions) * static_cast<double>(code.steps);
      }
      all.push_back(instructions);
    }
    return all;
  }

  const CodeGraph& graph_;
  std::vector<double> instructions_;  // by loop, inner ones included
  std::vector<Chain> chains_;         // by loop
};

}  // namespace

Dependences FindDependences(decode::Architecture architecture, const CodeGraph& graph) {
  Dependences found;
  found.steps.resize(graph.steps.size());
  Region(architecture, graph, kNoLoop).ClassifyLoads(found.steps);
  ChainStarts starts(graph);
  for (std::uint32_t loop = 0; loop < graph.loops.size(); ++loop) {
    Region region(architecture, graph, loop);
    region.ClassifyLoads(found.steps);
    starts.Enclose(loop, region);
    starts.Add(loop, region.FindChain(found.steps));
  }
  found.chain_spans = starts.Spans();
  return found;
}

}  // namespace tare::signature
