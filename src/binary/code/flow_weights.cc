// flow_weights.cc: potentials of the points between blocks, by a union-find with differences.
#include "binary/code/flow_weights.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

namespace tare::code {
namespace {

// Numbers of which only differences are known, in groups of those whose differences are known.
class Potentials {
 public:
  explicit Potentials(std::size_t size) : parent_(size), offset_(size, 0), rank_(size, 0) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  // States that the potential of `to` is that of `from` plus `difference`. Nothing changes if the
  // difference of the two is known already.
  void Relate(std::size_t from, std::size_t to, double difference) {
    const auto [from_root, from_offset] = Find(from);
    const auto [to_root, to_offset] = Find(to);
    if (from_root == to_root) return;
    const double between = from_offset + difference - to_offset;  // of to_root from from_root
    if (rank_[from_root] < rank_[to_root]) {
      parent_[from_root] = to_root;
      offset_[from_root] = -between;
    } else {
      parent_[to_root] = from_root;
      offset_[to_root] = between;
      if (rank_[from_root] == rank_[to_root]) ++rank_[from_root];
    }
  }

  // The root of the point's group, and the potential of the point minus that of the root.
  std::pair<std::size_t, double> Find(std::size_t point) const {
    double offset = 0;
    while (parent_[point] != point) {
      offset += offset_[point];
      point = parent_[point];
    }
    return {point, offset};
  }

 private:
  std::vector<std::size_t> parent_;
  std::vector<double> offset_;  // from the parent
  std::vector<unsigned> rank_;
};

// The start of block b is point 2b, its end 2b + 1; the outside of the function is one point, the
// last.
std::size_t StartOf(std::uint32_t block) { return 2 * std::size_t{block}; }
std::size_t EndOf(std::uint32_t block) { return StartOf(block) + 1; }

class Weigher {
 public:
  Weigher(const FlowGraph& graph, std::span<const CountedBlocks> counted,
          std::span<const double> costs, const FlowCounts& counts)
      : graph_(graph),
        counted_(counted),
        costs_(costs),
        counts_(counts),
        potentials_(2 * graph.blocks.size() + 1),
        counters_of_(graph.blocks.size()) {
    for (std::size_t i = 0; i < counted.size(); ++i) {
      for (const std::uint32_t block : counted[i].blocks) counters_of_[block].push_back(i);
    }
  }

  FlowWeights Weigh() {
    std::vector<Relation> relations = Relations();
    std::ranges::stable_sort(relations, std::greater(), &Relation::flow);
    for (const Relation& one : relations) potentials_.Relate(one.from, one.to, one.difference);
    FlowWeights weights;
    weights.counters.assign(counted_.size(), 0);
    for (const std::size_t counter : ByBlocks()) SetWeight(counter, weights);
    for (const Relation& one : relations) {
      weights.unexplained += std::abs(At(one.to) - At(one.from) - one.difference) * one.flow;
    }
    for (std::uint32_t block = 0; block < graph_.blocks.size(); ++block) {
      if (counters_of_[block].empty()) continue;
      weights.unexplained += std::abs(Wanted(block) - Given(block, weights)) * Executions(block);
    }
    return weights;
  }

 private:
  // The potential at `to` should be that at `from` plus `difference`.
  struct Relation {
    std::size_t from = 0;
    std::size_t to = 0;
    double difference = 0;
    double flow = 0;
  };

  double Executions(std::uint32_t block) const {
    return static_cast<double>(counts_.block_counts[block]);
  }

  // Whatever leaves one block arrives at another: the end of the one is the start of the other. A
  // block without a counter pays by potential: its end is lower than its start by its cost.
  std::vector<Relation> Relations() const {
    const std::size_t outside = 2 * graph_.blocks.size();
    std::vector<Relation> relations;
    for (std::size_t i = 0; i < graph_.edges.size(); ++i) {
      const FlowEdge& edge = graph_.edges[i];
      relations.push_back({edge.from == kOutside ? outside : EndOf(edge.from),
                           edge.to == kOutside ? outside : StartOf(edge.to), 0,
                           static_cast<double>(counts_.edge_counts[i])});
    }
    for (std::uint32_t block = 0; block < graph_.blocks.size(); ++block) {
      if (!counters_of_[block].empty()) continue;
      relations.push_back({StartOf(block), EndOf(block), -costs_[block], Executions(block)});
    }
    return relations;
  }

  // Those of many blocks first: what remains of a block's cost is for a counter of its own.
  std::vector<std::size_t> ByBlocks() const {
    std::vector<std::size_t> order(counted_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater(),
                             [this](std::size_t i) { return counted_[i].blocks.size(); });
    return order;
  }

  // The potential relative to the outside, or to another point of a loop that is never left.
  double At(std::size_t point) const {
    const auto [root, offset] = potentials_.Find(point);
    const auto [outside_root, outside] = potentials_.Find(2 * graph_.blocks.size());
    return root == outside_root ? offset - outside : offset;
  }

  // What the counters of a block must be worth together.
  double Wanted(std::uint32_t block) const {
    return costs_[block] + At(EndOf(block)) - At(StartOf(block));
  }

  double Given(std::uint32_t block, const FlowWeights& weights) const {
    double sum = 0;
    for (const std::size_t counter : counters_of_[block]) sum += weights.counters[counter];
    return sum;
  }

  // The mean over its blocks, by their executions.
  void SetWeight(std::size_t counter, FlowWeights& weights) const {
    double sum = 0;
    double executions = 0;
    double plain = 0;
    const auto& blocks = counted_[counter].blocks;
    for (const std::uint32_t block : blocks) {
      // A block can increment a counter more than once.
      const auto times = std::ranges::count(counters_of_[block], counter);
      const double missing = (Wanted(block) - Given(block, weights)) / static_cast<double>(times);
      sum += missing * Executions(block);
      executions += Executions(block);
      plain += missing;
    }
    if (blocks.empty()) return;
    weights.counters[counter] =
        executions > 0 ? sum / executions : plain / static_cast<double>(blocks.size());
  }

  const FlowGraph& graph_;
  std::span<const CountedBlocks> counted_;
  std::span<const double> costs_;
  const FlowCounts& counts_;
  Potentials potentials_;
  std::vector<std::vector<std::size_t>> counters_of_;  // by block
};

}  // namespace

FlowWeights WeightsOf(const FlowGraph& graph, std::span<const CountedBlocks> counted,
                      std::span<const double> costs, const FlowCounts& counts) {
  return Weigher(graph, counted, costs, counts).Weigh();
}

}  // namespace tare::code
