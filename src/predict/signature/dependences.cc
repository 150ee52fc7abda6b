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

  void FindChain(std::vector<StepDependence>& to) {
    if (loop_ == kNoLoop || graph_.loops[loop_].iterations == 0) return;
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

}  // namespace

std::vector<StepDependence> FindDependences(decode::Architecture architecture,
                                            const CodeGraph& graph) {
  std::vector<StepDependence> steps(graph.steps.size());
  Region(architecture, graph, kNoLoop).ClassifyLoads(steps);
  for (std::uint32_t loop = 0; loop < graph.loops.size(); ++loop) {
    Region region(architecture, graph, loop);
    region.ClassifyLoads(steps);
    region.FindChain(steps);
  }
  return steps;
}

}  // namespace tare::signature
