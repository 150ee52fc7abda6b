// flow_counts.cc: propagating bounds through the equations until they are stable.
#include "binary/code/flow_counts.h"

#include <algorithm>
#include <deque>
#include <optional>

namespace tare::code {
namespace {

// No program executes a block this often; the sum of a million such counts still fits.
constexpr std::int64_t kMax = std::int64_t{1} << 43;
constexpr std::int64_t kNoBound = std::int64_t{1} << 62;
// Contradictory bounds could tighten each other forever.
constexpr std::size_t kMaxMoves = 64;

struct Range {
  std::int64_t low = 0;
  std::int64_t high = kNoBound;
  bool IsFixed() const { return low == high; }
};

struct Term {
  std::uint32_t variable = 0;
  bool minus = false;
};

struct Equation {
  std::vector<Term> terms;
  std::int64_t sum = 0;
};

// A sum of bounds, some of which are missing.
struct OpenSum {
  std::int64_t finite = 0;
  std::size_t missing = 0;
  void Add(std::optional<std::int64_t> part) {
    if (part) {
      finite += *part;
    } else {
      ++missing;
    }
  }
  std::optional<std::int64_t> Without(std::optional<std::int64_t> part) const {
    if (missing > (part ? 0u : 1u)) return std::nullopt;
    return finite - part.value_or(0);
  }
};

// The variables are the edges, followed by the blocks.
class System {
 public:
  explicit System(std::size_t variables)
      : ranges_(variables), uses_(variables), moves_(variables, 0) {}

  void Add(Equation equation) {
    for (const Term& term : equation.terms) {
      uses_[term.variable].push_back(static_cast<std::uint32_t>(equations_.size()));
    }
    equations_.push_back(std::move(equation));
  }

  void Limit(std::uint32_t variable, std::int64_t most) { Narrow(variable, 0, most); }

  void Start() {
    waits_.assign(equations_.size(), true);
    for (std::uint32_t i = 0; i < equations_.size(); ++i) queue_.push_back(i);
  }

  void Propagate() {
    while (!queue_.empty() && consistent_) {
      const std::uint32_t number = queue_.front();
      queue_.pop_front();
      waits_[number] = false;
      Apply(equations_[number]);
    }
    queue_.clear();
    waits_.assign(waits_.size(), false);
  }

  // Assigns a value to every variable, such that all equations are satisfied.
  void Choose() {
    std::ranges::fill(moves_, 0);
    while (consistent_) {
      const auto next = NextOpen();
      if (!next) return;
      const Range range = ranges_[*next];
      const std::int64_t value =
          range.high == kNoBound ? range.low : range.low + (range.high - range.low) / 2;
      Narrow(*next, value, value);
      Propagate();
    }
  }

  const Range& operator[](std::uint32_t variable) const { return ranges_[variable]; }
  bool consistent() const { return consistent_; }

 private:
  std::optional<std::int64_t> Least(const Term& term) const {
    const Range& range = ranges_[term.variable];
    if (!term.minus) return range.low;
    return range.high == kNoBound ? std::nullopt : std::optional(-range.high);
  }
  std::optional<std::int64_t> Greatest(const Term& term) const {
    const Range& range = ranges_[term.variable];
    if (term.minus) return -range.low;
    return range.high == kNoBound ? std::nullopt : std::optional(range.high);
  }

  void Apply(const Equation& equation) {
    OpenSum least;
    OpenSum greatest;
    for (const Term& term : equation.terms) {
      least.Add(Least(term));
      greatest.Add(Greatest(term));
    }
    if (least.missing == 0 && least.finite > equation.sum) consistent_ = false;
    if (greatest.missing == 0 && greatest.finite < equation.sum) consistent_ = false;
    if (!consistent_ || (least.missing > 1 && greatest.missing > 1)) return;
    // Bounds that change meanwhile only get narrower, so the sums stay valid.
    for (const Term& term : equation.terms) {
      const auto before_least = Least(term);
      const auto before_greatest = Greatest(term);
      const auto others_least = least.Without(before_least);
      const auto others_greatest = greatest.Without(before_greatest);
      std::int64_t low = others_greatest ? equation.sum - *others_greatest : -kNoBound;
      std::int64_t high = others_least ? equation.sum - *others_least : kNoBound;
      if (term.minus) {
        std::swap(low, high);
        low = -low;
        high = -high;
      }
      Narrow(term.variable, low, high);
      if (!consistent_) return;
      // Updates the sums with the new bounds of this term.
      least.Add(Least(term));
      Take(least, before_least);
      greatest.Add(Greatest(term));
      Take(greatest, before_greatest);
    }
  }

  static void Take(OpenSum& sum, std::optional<std::int64_t> part) {
    if (part) {
      sum.finite -= *part;
    } else {
      --sum.missing;
    }
  }

  void Narrow(std::uint32_t variable, std::int64_t low, std::int64_t high) {
    Range& range = ranges_[variable];
    const Range before = range;
    range.low = std::max(range.low, low);
    range.high = std::min(range.high, high);
    if (range.low > range.high) consistent_ = false;
    if (range.low == before.low && range.high == before.high) return;
    if (!range.IsFixed() && ++moves_[variable] > kMaxMoves) return;
    for (const std::uint32_t number : uses_[variable]) {
      if (waits_.empty() || waits_[number]) continue;
      waits_[number] = true;
      queue_.push_back(number);
    }
  }

  // Variables without a bound first, then the one with the narrowest range.
  std::optional<std::uint32_t> NextOpen() const {
    std::optional<std::uint32_t> best;
    for (std::uint32_t i = 0; i < ranges_.size(); ++i) {
      if (ranges_[i].IsFixed()) continue;
      if (ranges_[i].high == kNoBound) return i;
      if (!best || ranges_[i].high - ranges_[i].low < ranges_[*best].high - ranges_[*best].low) {
        best = i;
      }
    }
    return best;
  }

  std::vector<Equation> equations_;
  std::vector<Range> ranges_;
  std::vector<std::vector<std::uint32_t>> uses_;
  std::vector<std::size_t> moves_;
  std::vector<bool> waits_;
  std::deque<std::uint32_t> queue_;
  bool consistent_ = true;
};

std::int64_t Clamped(std::uint64_t count) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(count, kMax));
}

System Equations(const FlowGraph& graph, std::span<const CountedBlocks> counted,
                 std::span<const EdgeLimit> limits) {
  const auto edges = static_cast<std::uint32_t>(graph.edges.size());
  const auto blocks = static_cast<std::uint32_t>(graph.blocks.size());
  System system(edges + blocks);
  std::vector<Equation> in(blocks);
  std::vector<Equation> out(blocks);
  Equation outside;
  for (std::uint32_t i = 0; i < edges; ++i) {
    const FlowEdge& edge = graph.edges[i];
    (edge.from == kOutside ? outside : out[edge.from]).terms.push_back({i, false});
    if (edge.from == kOutside && edge.to == kOutside) continue;
    (edge.to == kOutside ? outside : in[edge.to]).terms.push_back({i, edge.to == kOutside});
  }
  for (std::uint32_t i = 0; i < blocks; ++i) {
    in[i].terms.push_back({edges + i, true});
    out[i].terms.push_back({edges + i, true});
    system.Add(std::move(in[i]));
    system.Add(std::move(out[i]));
  }
  system.Add(std::move(outside));
  for (const CountedBlocks& counter : counted) {
    Equation equation;
    equation.sum = Clamped(counter.sum);
    for (const std::uint32_t block : counter.blocks) {
      equation.terms.push_back({edges + block, false});
    }
    system.Add(std::move(equation));
  }
  for (const EdgeLimit& limit : limits) system.Limit(limit.edge, Clamped(limit.most));
  return system;
}

// A block that no flow from outside reaches did not run, although the equations would permit a
// cycle.
void EmptyUnreached(const FlowGraph& graph, System& system) {
  const auto edges = static_cast<std::uint32_t>(graph.edges.size());
  std::vector<std::vector<std::uint32_t>> out(graph.blocks.size());
  std::vector<bool> reached(graph.blocks.size(), false);
  std::vector<std::uint32_t> open;
  const auto reach = [&](std::uint32_t edge) {
    const std::uint32_t to = graph.edges[edge].to;
    if (to == kOutside || system[edge].high == 0 || reached[to]) return;
    reached[to] = true;
    open.push_back(to);
  };
  for (std::uint32_t i = 0; i < edges; ++i) {
    if (graph.edges[i].from != kOutside) out[graph.edges[i].from].push_back(i);
  }
  for (std::uint32_t i = 0; i < edges; ++i) {
    if (graph.edges[i].from == kOutside) reach(i);
  }
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    for (const std::uint32_t edge : out[block]) reach(edge);
  }
  for (std::uint32_t i = 0; i < graph.blocks.size(); ++i) {
    if (!reached[i]) system.Limit(edges + i, 0);
  }
  system.Propagate();
}

CountBounds BoundsOf(const Range& range) {
  return {static_cast<std::uint64_t>(range.low),
          range.high == kNoBound ? kUnboundedCount : static_cast<std::uint64_t>(range.high)};
}

}  // namespace

FlowCounts SolveFlow(const FlowGraph& graph, std::span<const CountedBlocks> counted,
                     std::span<const EdgeLimit> limits) {
  const auto edges = static_cast<std::uint32_t>(graph.edges.size());
  const auto blocks = static_cast<std::uint32_t>(graph.blocks.size());
  System system = Equations(graph, counted, limits);
  system.Start();
  system.Propagate();
  if (system.consistent()) EmptyUnreached(graph, system);
  FlowCounts counts;
  counts.consistent = system.consistent();
  for (std::uint32_t i = 0; i < edges; ++i) counts.edges.push_back(BoundsOf(system[i]));
  for (std::uint32_t i = 0; i < blocks; ++i) counts.blocks.push_back(BoundsOf(system[edges + i]));
  system.Choose();
  for (std::uint32_t i = 0; i < edges; ++i) {
    counts.edge_counts.push_back(static_cast<std::uint64_t>(system[i].low));
  }
  for (std::uint32_t i = 0; i < blocks; ++i) {
    counts.block_counts.push_back(static_cast<std::uint64_t>(system[edges + i].low));
  }
  return counts;
}

}  // namespace tare::code
