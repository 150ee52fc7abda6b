// compiled_module.cc: solves each function's flow, then propagates unreturned calls to callers.
#include "measure/engine/compiled_module.h"

#include <algorithm>
#include <optional>

#include "binary/code/flow_weights.h"
#include "binary/decode/decoder.h"
#include "binary/elf/elf_file.h"
#include "format/counters_wire.h"
#include "format/software_counters_layout.h"
#include "measure/engine/compiled_sites.h"

namespace tare::engine {
namespace {

using code::FlowCounts;
using code::FlowEdge;
using code::FlowKind;

// Maximum rounds of propagation from callees to callers.
constexpr int kRounds = 8;

struct Solved {
  const CountedFunction* counted = nullptr;
  code::FlowGraph graph;
  std::vector<code::CountedBlocks> counters;
  std::vector<std::uint64_t> slots;  // of the counters
  FlowCounts counts;
  bool contradictory = false;
};

std::uint64_t Difference(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : 0; }

std::uint64_t SumOrNone(std::uint64_t a, std::uint64_t b) {
  return b > code::kUnboundedCount - a ? code::kUnboundedCount : a + b;
}

class Solver {
 public:
  Solver(const elf::ElfImage& image, const std::map<std::uint64_t, CountedFunction>& functions,
         std::span<const std::uint64_t> slots)
      : image_(image), slots_(slots), decoder_(image.architecture()) {
    for (const auto& [start, counted] : functions) Solve(counted);
    for (int round = 0; round < kRounds && SolveAgain(); ++round) {
    }
  }

  CompiledModule Result() const {
    CompiledModule module;
    for (const auto& [start, solved] : solved_) {
      module.functions[start] = Summary(solved);
      AddBlocks(solved, module.blocks);
    }
    return module;
  }

  // A counter of code that was copied into several functions is worth its mean.
  SlotWeights Weigh(const BlockCost& cost) const {
    SlotWeights weights;
    weights.slots.assign(slots_.size(), 0);
    std::vector<double> executions(slots_.size(), 0);
    for (const auto& [start, solved] : solved_) {
      std::vector<double> costs;
      for (const code::FlowBlock& block : solved.graph.blocks) {
        costs.push_back(cost(block.address, block.bytes));
        weights.total +=
            costs.back() * static_cast<double>(solved.counts.block_counts[costs.size() - 1]);
      }
      const auto own = code::WeightsOf(solved.graph, solved.counters, costs, solved.counts);
      weights.unexplained += own.unexplained;
      for (std::size_t i = 0; i < solved.slots.size(); ++i) {
        double here = 0;
        for (const std::uint32_t block : solved.counters[i].blocks) {
          here += static_cast<double>(solved.counts.block_counts[block]);
        }
        double& weight = weights.slots[solved.slots[i]];
        double& before = executions[solved.slots[i]];
        if (before + here == 0) {
          weight = own.counters[i];
        } else {
          weight = (weight * before + own.counters[i] * here) / (before + here);
          before += here;
        }
      }
    }
    return weights;
  }

 private:
  void ReadCounters(Solved& solved) const {
    std::map<std::uint64_t, code::CountedBlocks> by_slot;
    for (const CompiledSite& site : solved.counted->sites) {
      const std::uint32_t block = solved.graph.BlockAt(site.address);
      if (block == code::kOutside) continue;
      code::CountedBlocks& counter = by_slot[site.slot];
      counter.blocks.push_back(block);
      counter.sum = slots_[site.slot];
    }
    solved.counters.clear();
    solved.slots.clear();
    for (auto& [slot, counter] : by_slot) {
      solved.counters.push_back(std::move(counter));
      solved.slots.push_back(slot);
    }
  }

  void Solve(const CountedFunction& counted) {
    Solved& solved = solved_[counted.function->start];
    solved.counted = &counted;
    Prepare(counted.hints, solved);
    if (solved.counts.consistent) return;
    // A signal, or the end of the process, stopped the function part way.
    solved.contradictory = true;
    code::FlowHints hints = counted.hints;
    hints.may_stop_anywhere = true;
    Prepare(hints, solved);
  }

  void Prepare(const code::FlowHints& hints, Solved& solved) {
    solved.graph = code::ReadFlowGraph(image_, *solved.counted->function, decoder_, hints);
    ReadCounters(solved);
    solved.counts = code::SolveFlow(solved.graph, solved.counters, {});
  }

  // Upper bound on the calls of the function that did not return.
  std::uint64_t MostUnreturned(const Solved& solved) const {
    std::uint64_t entered = 0;
    std::uint64_t returned = 0;
    std::uint64_t passed_on = 0;
    for (std::size_t i = 0; i < solved.graph.edges.size(); ++i) {
      const FlowEdge& edge = solved.graph.edges[i];
      const code::CountBounds& bounds = solved.counts.edges[i];
      if (edge.kind == FlowKind::kEnter || edge.kind == FlowKind::kAgain) {
        entered = SumOrNone(entered, bounds.high);
      } else if (edge.kind == FlowKind::kReturn) {
        returned += bounds.low;
      } else if (edge.kind == FlowKind::kTailCall) {
        returned += bounds.low;
        passed_on = SumOrNone(passed_on, PassedOn(solved.graph.blocks[edge.from], bounds.high));
      }
    }
    if (entered == code::kUnboundedCount) return entered;
    return SumOrNone(Difference(entered, returned), passed_on);
  }

  std::uint64_t PassedOn(const code::FlowBlock& block, std::uint64_t most) const {
    const auto callee = block.callee ? unreturned_.find(*block.callee) : unreturned_.end();
    return callee == unreturned_.end() ? most : std::min(most, callee->second);
  }

  static bool MaySplit(FlowKind kind) {
    return kind == FlowKind::kLost || kind == FlowKind::kUnwound;
  }

  bool IsOpen(const Solved& solved) const {
    for (std::size_t i = 0; i < solved.graph.edges.size(); ++i) {
      if (MaySplit(solved.graph.edges[i].kind) && !solved.counts.edges[i].IsExact()) return true;
    }
    return false;
  }

  // A call site cannot lose more calls than its callee failed to return from. False if no bound
  // changed.
  bool SolveAgain() {
    unreturned_.clear();
    for (const auto& [start, solved] : solved_) unreturned_[start] = MostUnreturned(solved);
    for (const auto& [start, solved] : solved_) unreturned_[start] = MostUnreturned(solved);
    bool changed = false;
    for (auto& [start, solved] : solved_) {
      if (!IsOpen(solved)) continue;
      FlowCounts counts = code::SolveFlow(solved.graph, solved.counters, LimitsOf(solved));
      if (!counts.consistent) continue;
      changed = changed || !SameBounds(counts, solved.counts);
      solved.counts = std::move(counts);
    }
    return changed;
  }

  std::vector<code::EdgeLimit> LimitsOf(const Solved& solved) const {
    std::vector<code::EdgeLimit> limits;
    for (std::uint32_t i = 0; i < solved.graph.edges.size(); ++i) {
      const FlowEdge& edge = solved.graph.edges[i];
      if (!MaySplit(edge.kind)) continue;
      const code::FlowBlock& block = solved.graph.blocks[edge.from];
      if (!block.calls || !block.callee) continue;
      const auto callee = unreturned_.find(*block.callee);
      if (callee != unreturned_.end()) limits.push_back({i, callee->second});
    }
    return limits;
  }

  static bool SameBounds(const FlowCounts& a, const FlowCounts& b) {
    return std::ranges::equal(a.edges, b.edges, [](const auto& one, const auto& other) {
      return one.low == other.low && one.high == other.high;
    });
  }

  static CompiledFunction Summary(const Solved& solved) {
    CompiledFunction summary;
    summary.contradictory = solved.contradictory;
    for (std::size_t i = 0; i < solved.graph.blocks.size(); ++i) {
      const code::CountBounds& bounds = solved.counts.blocks[i];
      const std::uint64_t instructions = solved.graph.blocks[i].instructions;
      summary.low += bounds.low * instructions;
      const bool bounded = bounds.high < code::kUnboundedCount / instructions;
      summary.high =
          SumOrNone(summary.high, bounded ? bounds.high * instructions : code::kUnboundedCount);
    }
    for (std::size_t i = 0; i < solved.graph.edges.size(); ++i) {
      const FlowEdge& edge = solved.graph.edges[i];
      if (edge.kind == FlowKind::kLost) summary.unended += solved.counts.edge_counts[i];
      const bool chooses =
          edge.kind == FlowKind::kNext && solved.graph.blocks[edge.from].conditional;
      if (chooses && !solved.counts.edges[i].IsExact()) ++summary.branches;
    }
    return summary;
  }

  void AddBlocks(const Solved& solved, std::vector<format::Block>& blocks) const {
    std::vector<std::uint64_t> straight_on(solved.graph.blocks.size(), 0);
    for (std::size_t i = 0; i < solved.graph.edges.size(); ++i) {
      const FlowEdge& edge = solved.graph.edges[i];
      if (edge.kind == FlowKind::kNext) straight_on[edge.from] = solved.counts.edge_counts[i];
    }
    for (std::size_t i = 0; i < solved.graph.blocks.size(); ++i) {
      const code::FlowBlock& from = solved.graph.blocks[i];
      if (solved.counts.block_counts[i] == 0) continue;
      format::Block block;
      block.address = from.address;
      const auto code = image_.Code(from.address, from.bytes);
      block.code.assign(code.begin(), code.end());
      block.instructions = from.instructions;
      block.executions = solved.counts.block_counts[i];
      block.conditional = from.conditional;
      block.second = from.conditional ? straight_on[i] : 0;
      blocks.push_back(std::move(block));
    }
  }

  const elf::ElfImage& image_;
  std::span<const std::uint64_t> slots_;
  decode::Decoder decoder_;
  std::map<std::uint64_t, Solved> solved_;
  std::map<std::uint64_t, std::uint64_t> unreturned_;
};

std::uint64_t LostSites(const std::map<std::uint64_t, CountedFunction>& functions,
                        std::span<const format::UnitBlocks> units,
                        std::span<const std::uint64_t> slots) {
  std::vector<bool> placed(slots.size(), false);
  for (const auto& [start, counted] : functions) {
    for (const CompiledSite& site : counted.sites) placed[site.slot] = true;
  }
  std::uint64_t lost = 0;
  for (const format::UnitBlocks& unit : units) {
    for (std::uint64_t i = unit.first; i < unit.first + unit.count; ++i) {
      if (!placed[i] && slots[i] > 0) ++lost;
    }
  }
  return lost;
}

Result<void> CheckUnits(std::span<const format::UnitBlocks> units, std::size_t slots) {
  for (const format::UnitBlocks& unit : units) {
    if (unit.first > slots || unit.count > slots - unit.first) {
      return Fail(ErrorKind::kFormat, "a unit has more counters than the module");
    }
  }
  return {};
}

}  // namespace

Result<CompiledModule> SolveModule(const elf::ElfImage& image,
                                   std::span<const format::UnitBlocks> units,
                                   std::span<const std::uint64_t> slots) {
  TRY_VOID(CheckUnits(units, slots.size()));
  TRY(const auto functions, ReadCountedFunctions(image, units));
  CompiledModule module = Solver(image, functions, slots).Result();
  module.lost_sites = LostSites(functions, units, slots);
  return module;
}

Result<std::vector<format::UnitBlocks>> BlockCountersOf(const elf::ElfImage& image) {
  TRY(const auto file, elf::ReadElfFile(image.bytes()));
  const elf::Section* units = file.FindSection(TARE_UNITS_SECTION);
  const elf::Section* counters = file.FindSection(TARE_COUNTERS_SECTION);
  if (units == nullptr || counters == nullptr) {
    return Fail(ErrorKind::kFormat, "it has no counters of tare-cc");
  }
  tare_counters_header header = {};
  header.units_address = units->address;
  header.counters_address = counters->address;
  header.function_slot = counters->contents.size() / sizeof(std::uint64_t);
  TRY(auto contents, format::ParseUnits(units->contents, header));
  if (contents.blocks.empty()) {
    return Fail(ErrorKind::kFormat, "it was built without --tare-blocks");
  }
  return std::move(contents.blocks);
}

Result<std::vector<SlotWeights>> WeighSlots(const elf::ElfImage& image,
                                            std::span<const std::uint64_t> slots,
                                            std::span<const BlockCost> costs) {
  TRY(const auto units, BlockCountersOf(image));
  TRY_VOID(CheckUnits(units, slots.size()));
  TRY(const auto functions, ReadCountedFunctions(image, units));
  const Solver solver(image, functions, slots);
  std::vector<SlotWeights> weights;
  for (const BlockCost& cost : costs) weights.push_back(solver.Weigh(cost));
  return weights;
}

}  // namespace tare::engine
