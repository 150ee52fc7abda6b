// burst_factors.cc: multiplies counters by the prices of their increments.
#include "predict/replay/burst_factors.h"

#include <algorithm>
#include <optional>

namespace tare::replay {
namespace {

// A burst that ends within a loop may have less than one round of it, with a wrong sign.
constexpr double kMaxRatio = 1000;

struct SlotRange {
  std::uint32_t first = 0;
  const ModulePrices* prices = nullptr;
};

class RankPrices {
 public:
  RankPrices(const format::MpiRank& rank, const std::map<std::string, ModulePrices>& modules)
      : rank_(&rank) {
    for (const format::MpiCounterModule& module : rank.modules) {
      const auto found = modules.find(module.path);
      if (found == modules.end() || found->second.recorded.size() != module.slots ||
          found->second.target.size() != module.slots) {
        continue;
      }
      ranges_.push_back({module.first_slot, &found->second});
    }
  }

  // How many times as fast the code runs that the event's counters count.
  std::optional<double> RatioOf(const format::MpiEvent& event) const {
    double recorded = 0;
    double target = 0;
    for (const format::MpiCounterDelta& delta : rank_->CountersOf(event)) {
      for (const SlotRange& range : ranges_) {
        if (delta.slot < range.first || delta.slot - range.first >= range.prices->recorded.size()) {
          continue;
        }
        const std::uint32_t slot = delta.slot - range.first;
        const auto increase = static_cast<double>(delta.increase);
        recorded += increase * range.prices->recorded[slot];
        target += increase * range.prices->target[slot];
      }
    }
    const bool usable = recorded > 0 && target > 0 && recorded < kMaxRatio * target &&
                        target < kMaxRatio * recorded;
    if (!usable) return std::nullopt;
    return recorded / target;
  }

 private:
  const format::MpiRank* rank_;
  std::vector<SlotRange> ranges_;
};

struct TimedRatio {
  double ratio = 0;
  double seconds = 0;
};

// The ratio that this part of the time is below.
double Quantile(std::span<const TimedRatio> sorted, double total, double part) {
  double sum = 0;
  for (const TimedRatio& one : sorted) {
    sum += one.seconds;
    if (sum >= part * total) return one.ratio;
  }
  return sorted.empty() ? 0 : sorted.back().ratio;
}

}  // namespace

BurstFactors FactorsOf(const format::MpiTrace& trace,
                       const std::map<std::string, ModulePrices>& modules, double ratio) {
  constexpr double kLow = 0.05;
  BurstFactors result;
  std::vector<TimedRatio> ratios;
  for (const format::MpiRank& rank : trace.ranks) {
    const RankPrices prices(rank, modules);
    std::vector<double> factors(rank.events.size(), 1);
    std::optional<double> next;
    bool any = false;
    for (std::size_t i = rank.events.size(); i-- > 0;) {
      const format::MpiEvent& event = rank.events[i];
      if (event.thread != 0) continue;
      if (event.counters.count > 0) next = prices.RatioOf(event);
      const double seconds = static_cast<double>(event.burst_cpu_ns) * 1e-9;
      if (event.operation == TARE_MPI_INIT) break;
      if (!next) {
        result.uncounted += seconds;
        continue;
      }
      factors[i] = ratio / *next;
      any = true;
      result.counted += seconds;
      ratios.push_back({*next, seconds});
    }
    if (!any) factors.clear();
    result.factors.push_back(std::move(factors));
  }
  std::ranges::sort(ratios, {}, &TimedRatio::ratio);
  result.slowest = Quantile(ratios, result.counted, kLow);
  result.fastest = Quantile(ratios, result.counted, 1 - kLow);
  return result;
}

}  // namespace tare::replay
