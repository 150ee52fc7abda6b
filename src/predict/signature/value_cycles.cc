// value_cycles.cc: Tarjan's components and Karp's maximum cycle mean (Karp, "A characterization of
// the minimum cycle mean in a digraph", 1978).
#include "predict/signature/value_cycles.h"

#include <algorithm>
#include <limits>
#include <map>

namespace tare::signature {
namespace {

constexpr double kUnreachable = -std::numeric_limits<double>::infinity();
// More values handed from one iteration to the next than this are not searched: no compiler keeps
// so many in registers and memory that one chain needs all of them.
constexpr std::size_t kMaxCarried = 128;

class ComponentSearch {
 public:
  explicit ComponentSearch(std::span<const Value> values)
      : values_(values),
        number_(values.size(), kNoValue),
        low_(values.size(), 0),
        on_stack_(values.size(), false) {
    result_.of.assign(values.size(), kNoValue);
  }

  Components Run() && {
    for (std::uint32_t i = 0; i < values_.size(); ++i)
      if (number_[i] == kNoValue) Visit(i);
    for (std::uint32_t i = 0; i < values_.size(); ++i)
      for (const ValueInput& input : values_[i].inputs)
        if (result_.of[input.value] == result_.of[i]) result_.cyclic[result_.of[i]] = true;
    return std::move(result_);
  }

 private:
  struct Frame {
    std::uint32_t value;
    std::size_t next;
  };

  void Enter(std::uint32_t value) {
    number_[value] = low_[value] = count_++;
    open_.push_back(value);
    on_stack_[value] = true;
    frames_.push_back({value, 0});
  }

  void Visit(std::uint32_t root) {
    Enter(root);
    while (!frames_.empty()) {
      const std::uint32_t value = frames_.back().value;
      const auto& inputs = values_[value].inputs;
      if (frames_.back().next < inputs.size()) {
        const std::uint32_t needed = inputs[frames_.back().next++].value;
        if (number_[needed] == kNoValue) {
          Enter(needed);
        } else if (on_stack_[needed]) {
          low_[value] = std::min(low_[value], number_[needed]);
        }
        continue;
      }
      frames_.pop_back();
      if (!frames_.empty())
        low_[frames_.back().value] = std::min(low_[frames_.back().value], low_[value]);
      if (low_[value] == number_[value]) Close(value);
    }
  }

  void Close(std::uint32_t value) {
    const auto component = static_cast<std::uint32_t>(result_.cyclic.size());
    result_.cyclic.push_back(false);
    std::uint32_t member = kNoValue;
    do {
      member = open_.back();
      open_.pop_back();
      on_stack_[member] = false;
      result_.of[member] = component;
    } while (member != value);
  }

  std::span<const Value> values_;
  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> low_;
  std::vector<bool> on_stack_;
  std::vector<std::uint32_t> open_;
  std::vector<Frame> frames_;
  std::uint32_t count_ = 0;
  Components result_;
};

// The values of one component, for one call of LongestCycle.
class CycleSearch {
 public:
  // `place` has an element per value, and is kNoValue for all of them before and after.
  CycleSearch(std::span<const Value> values, std::span<const double> weight,
              std::span<const std::uint32_t> members, std::vector<std::uint32_t>& place)
      : values_(values), weight_(weight), place_(place) {
    for (const std::uint32_t member : members)
      if (weight_[member] > 0) place_[member] = kNotSorted;
    Sort(members);
    for (const std::uint32_t member : order_) {
      const bool carried = std::ranges::any_of(values_[member].inputs, [this](const auto& input) {
        return input.carried && place_[input.value] != kNoValue;
      });
      if (carried && carried_.size() < kMaxCarried) carried_.push_back(member);
    }
  }
  ~CycleSearch() {
    for (const std::uint32_t member : order_) place_[member] = kNoValue;
  }
  CycleSearch(const CycleSearch&) = delete;
  CycleSearch& operator=(const CycleSearch&) = delete;

  ValueCycle Run() {
    const std::size_t count = carried_.size();
    if (count == 0) return {};
    // gain[a][b]: the longest latency from the start of an iteration at carried_[a] to its end at
    // what carried_[b] is in the next one.
    std::vector<std::vector<double>> gain(count, std::vector<double>(count, kUnreachable));
    for (std::size_t a = 0; a < count; ++a) {
      FindPaths(carried_[a]);
      for (std::size_t b = 0; b < count; ++b) gain[a][b] = EndOf(carried_[b]).first;
    }
    const std::vector<std::size_t> cycle = MaxMeanCycle(gain);
    if (cycle.empty()) return {};
    ValueCycle result;
    result.iterations = static_cast<double>(cycle.size());
    double total = 0;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const std::size_t to = cycle[(i + 1) % cycle.size()];
      total += gain[cycle[i]][to];
      FindPaths(carried_[cycle[i]]);
      Trace(EndOf(carried_[to]).second, carried_[cycle[i]], result.values);
    }
    result.latency = total / result.iterations;
    return result;
  }

 private:
  // Members by need within an iteration, so that inputs come first.
  void Sort(std::span<const std::uint32_t> members) {
    std::vector<std::pair<std::uint32_t, std::size_t>> stack;
    for (const std::uint32_t root : members) {
      if (place_[root] != kNotSorted) continue;
      stack.emplace_back(root, 0);
      place_[root] = kOpen;
      while (!stack.empty()) {
        auto& [value, next] = stack.back();
        const auto& inputs = values_[value].inputs;
        if (next == inputs.size()) {
          place_[value] = static_cast<std::uint32_t>(order_.size());
          order_.push_back(value);
          stack.pop_back();
          continue;
        }
        const ValueInput& input = inputs[next++];
        if (input.carried || place_[input.value] != kNotSorted) continue;
        place_[input.value] = kOpen;
        stack.emplace_back(input.value, 0);
      }
    }
    longest_.assign(order_.size(), kUnreachable);
    before_.assign(order_.size(), kNoValue);
  }

  void FindPaths(std::uint32_t start) {
    std::ranges::fill(longest_, kUnreachable);
    std::ranges::fill(before_, kNoValue);
    longest_[place_[start]] = values_[start].latency * weight_[start];
    for (std::size_t i = place_[start] + std::size_t{1}; i < order_.size(); ++i) {
      const std::uint32_t value = order_[i];
      for (const ValueInput& input : values_[value].inputs) {
        if (input.carried || place_[input.value] == kNoValue) continue;
        const double length =
            longest_[place_[input.value]] + values_[value].latency * weight_[value];
        if (length > longest_[i]) {
          longest_[i] = length;
          before_[i] = input.value;
        }
      }
    }
  }

  // The longest path to what a value takes over from the iteration before, and its last value.
  std::pair<double, std::uint32_t> EndOf(std::uint32_t carried) const {
    std::pair<double, std::uint32_t> best = {kUnreachable, kNoValue};
    for (const ValueInput& input : values_[carried].inputs) {
      if (!input.carried || place_[input.value] == kNoValue) continue;
      const double length = longest_[place_[input.value]];
      if (length > best.first) best = {length, input.value};
    }
    return best;
  }

  void Trace(std::uint32_t end, std::uint32_t start, std::vector<std::uint32_t>& to) const {
    for (std::uint32_t value = end; value != kNoValue; value = before_[place_[value]]) {
      if (values_[value].kind != ValueKind::kMerge) to.push_back(value);
      if (value == start) break;
    }
  }

  // As indices into `gain`; empty when no cycle has latency.
  static std::vector<std::size_t> MaxMeanCycle(const std::vector<std::vector<double>>& gain) {
    const std::size_t count = gain.size();
    std::vector<std::vector<double>> sum(count + 1, std::vector<double>(count, kUnreachable));
    std::vector<std::vector<std::size_t>> from(count + 1, std::vector<std::size_t>(count, 0));
    std::ranges::fill(sum[0], 0);
    for (std::size_t k = 1; k <= count; ++k) {
      for (std::size_t a = 0; a < count; ++a) {
        for (std::size_t b = 0; b < count; ++b) {
          if (sum[k - 1][a] + gain[a][b] <= sum[k][b]) continue;
          sum[k][b] = sum[k - 1][a] + gain[a][b];
          from[k][b] = a;
        }
      }
    }
    // A walk of `count` edges contains cycles; the walk to the best end contains one with the
    // largest mean.
    double best = 0;
    std::vector<std::size_t> cycle;
    for (std::size_t end = 0; end < count; ++end) {
      if (sum[count][end] == kUnreachable) continue;
      std::vector<std::size_t> walk(count + 1);
      walk[count] = end;
      for (std::size_t k = count; k > 0; --k) walk[k - 1] = from[k][walk[k]];
      TakeBestCycle(walk, gain, best, cycle);
    }
    return cycle;
  }

  static void TakeBestCycle(const std::vector<std::size_t>& walk,
                            const std::vector<std::vector<double>>& gain, double& best,
                            std::vector<std::size_t>& cycle) {
    std::map<std::size_t, std::size_t> last;  // where in the walk each was seen
    std::vector<double> total(walk.size(), 0);
    for (std::size_t i = 0; i < walk.size(); ++i) {
      if (i > 0) total[i] = total[i - 1] + gain[walk[i - 1]][walk[i]];
      const auto seen = last.find(walk[i]);
      if (seen != last.end()) {
        const double mean =
            (total[i] - total[seen->second]) / static_cast<double>(i - seen->second);
        if (mean > best) {
          best = mean;
          cycle.assign(walk.begin() + static_cast<std::ptrdiff_t>(seen->second),
                       walk.begin() + static_cast<std::ptrdiff_t>(i));
        }
      }
      last[walk[i]] = i;
    }
  }

  static constexpr std::uint32_t kNotSorted = kNoValue - 1;
  static constexpr std::uint32_t kOpen = kNoValue - 2;

  std::span<const Value> values_;
  std::span<const double> weight_;
  std::vector<std::uint32_t>& place_;  // by value: in order_; kNoValue: not a member
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> carried_;
  std::vector<double> longest_;        // by place
  std::vector<std::uint32_t> before_;  // by place: the value before on the longest path
};

}  // namespace

Components FindComponents(std::span<const Value> values) { return ComponentSearch(values).Run(); }

ValueCycle LongestCycle(std::span<const Value> values, const Components& components,
                        std::span<const double> weight) {
  std::map<std::uint32_t, std::vector<std::uint32_t>> members;
  for (std::uint32_t i = 0; i < values.size(); ++i)
    if (components.cyclic[components.of[i]]) members[components.of[i]].push_back(i);
  ValueCycle best;
  std::vector<std::uint32_t> place(values.size(), kNoValue);
  for (const auto& [component, list] : members) {
    const bool has_latency = std::ranges::any_of(
        list, [&](std::uint32_t member) { return values[member].latency * weight[member] > 0; });
    if (!has_latency) continue;
    ValueCycle cycle = CycleSearch(values, weight, list, place).Run();
    if (cycle.latency > best.latency) best = std::move(cycle);
  }
  return best;
}

}  // namespace tare::signature
