// run_design.cc: screening by bisection, then confirmation with new runs.
#include "analysis/why/run_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "base/stop.h"
#include "stats/compare.h"
#include "stats/correction.h"
#include "stats/distribution.h"
#include "stats/permutation.h"
#include "stats/random.h"
#include "stats/sample.h"

namespace tare::why {
namespace {

// Number of runs of each step, for a response that repeats and for one that scatters.
struct Sizes {
  std::size_t screening;   // runs of a group, each at another level
  std::size_t levels;      // of a factor in confirmation, maximum
  std::size_t replicates;  // of each level, minimum
  std::size_t varied;      // runs at varied levels in total, minimum
  std::size_t fixed;       // replicates with all factors fixed
};

constexpr Sizes kQuiet{8, 8, 2, 8, 6};
constexpr Sizes kNoisy{12, 6, 5, 15, 12};

constexpr std::size_t kFirstFixedRuns = 3;
constexpr int kMaxScreenings = 4;  // of all factors together, if noise may hide a large effect
// Screening may have many false positives, because confirmation tests them again.
constexpr double kScreeningLevel = 0.2;

// In simulations (run_design_test.cc) a shift of three standard deviations is found in at least 19
// of 20 searches, with normal noise and with outliers.
constexpr double kDetectableDeviations = 3;

using Group = std::vector<FactorLevels>;

class Designer {
 public:
  Designer(const std::vector<FactorLevels>& factors, const Measure& measure,
           const DesignOptions& options, const Progress& progress)
      : factors_(factors),
        measure_(measure),
        options_(options),
        progress_(progress),
        generator_(options.seed) {}

  Result<Findings> Find() {
    TRY_VOID(MeasureFixed(kFirstFixedRuns));
    if (!factors_.empty()) TRY_VOID(Screen(factors_));
    TRY_VOID(Confirm());
    Rank();
    findings_.repeats = Repeats();
    findings_.min_effect = options_.min_effect;
    findings_.detectable = Detectable();
    findings_.negligible_scatter = !findings_.repeats && IsNegligible(LargestScatter());
    return std::move(findings_);
  }

 private:
  struct Screened {
    bool changed = false;
    unsigned level = 0;  // at which it changed, if the response repeats
    double p = 1;        // p-value, if the response scatters
  };

  // A single factor, or a set that acts only together.
  struct Candidate {
    Group group;
    std::optional<unsigned> level;  // at which it changed
  };

  bool Repeats() const {
    return std::ranges::all_of(findings_.fixed, [&](double y) { return y == findings_.fixed[0]; });
  }
  const Sizes& Now() const { return Repeats() ? kQuiet : kNoisy; }

  bool Spent() {
    findings_.out_of_budget = findings_.out_of_budget || options_.spent();
    return findings_.out_of_budget;
  }

  Result<double> Run(const Levels& levels, std::string_view what) {
    ++findings_.runs;
    if (!progress_(Done(), what)) return Stopped();
    return measure_(levels);
  }

  // The number of runs is not known in advance, so the fraction only approaches 1.
  double Done() const {
    const double runs = static_cast<double>(findings_.runs);
    return runs / (runs + 20);
  }

  Result<void> MeasureFixed(std::size_t runs) {
    for (std::size_t i = 0; i < runs; ++i) {
      TRY(const double value, Run({}, "all factors fixed"));
      findings_.fixed.push_back(value);
    }
    return {};
  }

  static Levels At(const Group& group, unsigned level) {
    Levels levels;
    for (const FactorLevels& entry : group) levels[entry.factor] = 1 + (level - 1) % entry.levels;
    return levels;
  }

  static std::string Names(const Group& group) {
    if (group.size() > 3) return fmt::format("{} factors at once", group.size());
    std::vector<Factor> factors;
    for (const FactorLevels& entry : group) factors.push_back(entry.factor);
    return InWords(factors);
  }

  static unsigned LevelsOf(const Group& group) {
    return std::ranges::max(group, {}, &FactorLevels::levels).levels;
  }

  // Whether the group changes the response. Tries the level `likely` first.
  Result<Screened> Changes(const Group& group, std::optional<unsigned> likely) {
    if (!Repeats()) return ChangesDespiteNoise(group);
    const auto max = std::min<std::size_t>(kQuiet.screening, LevelsOf(group));
    std::vector<unsigned> order(max);
    std::iota(order.begin(), order.end(), 1U);
    if (likely) {
      const auto place = std::ranges::find(order, *likely);
      if (place != order.end()) std::rotate(order.begin(), place, place + 1);
    }
    for (const unsigned level : order) {
      TRY(const double value, Run(At(group, level), Names(group)));
      if (value == findings_.fixed[0]) continue;
      // Repeat it: a change that does not repeat may be scatter.
      TRY(const double again, Run(At(group, level), Names(group)));
      if (again == value) return Screened{true, level};
      TRY_VOID(MeasureFixed(kFirstFixedRuns));
      if (!Repeats()) return ChangesDespiteNoise(group);
      return Screened{true, level};
    }
    return Screened{};
  }

  struct Pairs {
    std::vector<double> fixed;
    std::vector<double> varied;
  };

  Result<Screened> ChangesDespiteNoise(const Group& group) {
    Pairs pairs;
    return ChangesDespiteNoise(group, pairs);
  }

  // Adds pairs of runs and tests all of them.
  Result<Screened> ChangesDespiteNoise(const Group& group, Pairs& pairs) {
    const unsigned levels = LevelsOf(group);
    for (unsigned i = 0; i < kNoisy.screening; ++i) {
      // In pairs, so that drift affects both alike; in random order, because machines can have a
      // pattern with period two.
      const bool fixed_first = generator_.Below(2) == 0;
      if (fixed_first) TRY_VOID(MeasureFixed(1));
      const auto next = static_cast<unsigned>(pairs.varied.size());
      TRY(const double value, Run(At(group, 1 + next % levels), Names(group)));
      pairs.varied.push_back(value);
      if (!fixed_first) TRY_VOID(MeasureFixed(1));
      pairs.fixed.push_back(findings_.fixed.back());
    }
    const std::vector<std::vector<double>> groups = {pairs.fixed, pairs.varied};
    TRY(const auto test, stats::CompareGroups(groups, {.seed = generator_.Next()}));
    return Screened{test.p <= kScreeningLevel, 0, test.p};
  }

  void Clear(const Group& group, bool tried) {
    for (const FactorLevels& entry : group) {
      const std::size_t levels = std::min<std::size_t>(Now().screening, entry.levels);
      findings_.cleared.push_back({entry.factor, tried ? levels : 0});
    }
  }

  // Tests all factors together first; for most programs nothing changes.
  Result<void> Screen(const Group& all) {
    TRY(auto changed, Changes(all, std::nullopt));
    Pairs pairs;
    for (int i = 1; i < kMaxScreenings && !changed.changed; ++i) {
      if (Repeats() || Detectable() <= kLargeEffect || Spent()) break;
      TRY(changed, ChangesDespiteNoise(all, pairs));
    }
    if (!changed.changed) {
      Clear(all, true);
      return {};
    }
    return Bisect(all, changed);
  }

  static std::optional<unsigned> Likely(const Screened& changed) {
    return changed.level == 0 ? std::nullopt : std::optional(changed.level);
  }

  // `group` changes the response.
  Result<void> Bisect(const Group& group, const Screened& whole) {
    if (group.size() == 1) {
      candidates_.push_back({group, Likely(whole)});
      return {};
    }
    if (Spent()) {
      Clear(group, false);
      return {};
    }
    const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
    const Group first(group.begin(), middle);
    const Group second(middle, group.end());
    TRY(auto first_half, Changes(first, Likely(whole)));
    TRY(auto second_half, Changes(second, Likely(whole)));
    if (!first_half.changed && !second_half.changed) {
      if (Repeats() && whole.level != 0) return FindTogether(group, whole.level);
      // Noise hid the effect, or there was none: continue with the half with the lower p-value.
      (first_half.p <= second_half.p ? first_half : second_half).changed = true;
    }
    if (first_half.changed) {
      TRY_VOID(Bisect(first, first_half));
    } else {
      Clear(first, true);
    }
    if (second_half.changed) {
      TRY_VOID(Bisect(second, second_half));
    } else {
      Clear(second, true);
    }
    return {};
  }

  // The group changes the response at this level and neither half does: removes one factor after
  // another while the rest still changes it.
  Result<void> FindTogether(Group group, unsigned level) {
    for (const FactorLevels& entry : Group(group)) {
      if (group.size() <= 2 || Spent()) break;
      Group rest = group;
      std::erase_if(rest, [&](const FactorLevels& other) { return other.factor == entry.factor; });
      TRY(const double value, Run(At(rest, level), Names(rest)));
      if (value == findings_.fixed[0]) continue;
      group = std::move(rest);
      Clear({entry}, true);
    }
    candidates_.push_back({std::move(group), level});
    return {};
  }

  // Levels to test: the one that showed a change first, then others.
  std::vector<unsigned> TestLevels(const Candidate& candidate) const {
    const auto max = std::min<std::size_t>(Now().levels, LevelsOf(candidate.group));
    std::vector<unsigned> levels;
    if (candidate.level) levels.push_back(*candidate.level);
    for (unsigned level = 1; levels.size() < max; ++level) {
      if (candidate.level != level) levels.push_back(level);
    }
    return levels;
  }

  Result<void> Confirm() {
    std::vector<double> p_values;
    for (const Candidate& candidate : candidates_) {
      // Even if the budget is used up, test the first candidate to give an answer.
      if (Spent() && !findings_.causes.empty()) {
        Clear(candidate.group, false);
        continue;
      }
      TRY(auto cause, Test(candidate));
      p_values.push_back(cause.p);
      findings_.causes.push_back(std::move(cause));
    }
    TRY(const auto adjusted, stats::Holm(p_values));
    for (std::size_t i = 0; i < adjusted.size(); ++i) {
      Cause& cause = findings_.causes[i];
      cause.p = adjusted[i];
      cause.negligible = cause.p <= options_.alpha && IsNegligible(cause.largest);
      // Test and interval are computed differently; where they disagree about a response that
      // scatters, nothing is claimed.
      const bool scatters =
          std::ranges::adjacent_find(findings_.fixed, std::not_equal_to()) != findings_.fixed.end();
      // Absolute changes of noise are not 0 on average, so with several levels the test decides.
      if (scatters && cause.levels > 1 && cause.p > options_.alpha) cause.effect.low = 0.0;
      const bool may_be_zero = scatters && cause.effect.HasInterval() && cause.effect.Contains(0);
      cause.significant = cause.p <= options_.alpha && !cause.negligible && !may_be_zero;
    }
    return {};
  }

  Result<Cause> Test(const Candidate& candidate) {
    const std::vector<unsigned> levels = TestLevels(candidate);
    const std::size_t replicates =
        std::max(Now().replicates, (Now().varied + levels.size() - 1) / levels.size());
    std::vector<std::size_t> order(Now().fixed,
                                   0);  // indices of groups; group 0 has all factors fixed
    for (std::size_t i = 0; i < levels.size(); ++i) order.insert(order.end(), replicates, i + 1);
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<std::size_t>(generator_.Below(i))]);
    }
    std::vector<std::vector<double>> groups(levels.size() + 1);
    const std::string what = "confirming " + Names(candidate.group);
    for (const std::size_t group : order) {
      const Levels at = group == 0 ? Levels{} : At(candidate.group, levels[group - 1]);
      TRY(const double value, Run(at, what));
      groups[group].push_back(value);
      if (group == 0) findings_.fixed.push_back(value);
    }
    TRY(const auto test, stats::CompareGroups(groups, {.seed = generator_.Next()}));
    Cause cause;
    for (const FactorLevels& entry : candidate.group) cause.factors.push_back(entry.factor);
    TRY(cause.effect, EffectOf(groups));
    cause.largest = LargestOf(groups);
    cause.p = test.p;
    cause.levels = levels.size();
    cause.runs = order.size();
    return cause;
  }

  // A response that scatters has outliers, so medians are compared.
  static double Median(std::vector<double> group) { return stats::MedianOf(group); }

  bool IsNegligible(double change) const {
    return std::abs(change) < options_.min_effect * std::abs(Median(findings_.fixed));
  }

  double LargestScatter() const {
    const double median = Median(findings_.fixed);
    double largest = 0;
    for (const double value : findings_.fixed) {
      largest = std::max(largest, std::abs(value - median));
    }
    return largest;
  }

  static double LargestOf(const std::vector<std::vector<double>>& groups) {
    double largest = 0;
    for (std::size_t i = 1; i < groups.size(); ++i) {
      const double change = Median(groups[i]) - Median(groups[0]);
      if (std::abs(change) > std::abs(largest)) largest = change;
    }
    return largest;
  }

  // The distances of all runs from the median of their group.
  static std::vector<double> ResidualsOf(const std::vector<std::vector<double>>& groups) {
    std::vector<double> residuals;
    for (const auto& group : groups) {
      const double median = Median(group);
      for (const double value : group) residuals.push_back(std::abs(value - median));
    }
    return residuals;
  }

  Result<Measured> EffectOf(const std::vector<std::vector<double>>& groups) const {
    const double confidence = 1 - options_.alpha;
    const std::vector<double> residuals = ResidualsOf(groups);
    if (residuals.size() == groups.size()) return Unbounded(LargestOf(groups));  // one run each
    if (std::ranges::max(residuals) == 0) {
      return Known(groups.size() == 2 ? LargestOf(groups) : MeanChangeOf(groups));
    }
    if (groups.size() == 2) {
      // With a small alpha there are too few runs for an interval by ranks.
      if (const auto shift = stats::ShiftInterval(groups[1], groups[0], confidence)) return *shift;
      TRY(const auto welch, stats::Welch(groups[1], groups[0], confidence));
      return welch.difference;
    }
    return MeanChangeInterval(groups, residuals, confidence);
  }

  static double MeanChangeOf(const std::vector<std::vector<double>>& groups) {
    double sum = 0;
    for (std::size_t i = 1; i < groups.size(); ++i) {
      sum += std::abs(Median(groups[i]) - Median(groups[0]));
    }
    return sum / static_cast<double>(groups.size() - 1);
  }

  // The mean absolute change over the levels that were tested, with the error that the variation
  // between equal runs leaves. Not an interval over all levels that there could be: of two levels,
  // of which one doubles the time, it would say nothing.
  static Measured MeanChangeInterval(const std::vector<std::vector<double>>& groups,
                                     const std::vector<double>& residuals, double confidence) {
    const auto levels = static_cast<double>(groups.size() - 1);
    double inverse = 1 / static_cast<double>(groups[0].size());  // of the numbers of runs
    for (std::size_t i = 1; i < groups.size(); ++i) {
      inverse += 1 / static_cast<double>(groups[i].size()) / (levels * levels);
    }
    const auto runs = static_cast<double>(residuals.size());
    const double degrees = runs - levels - 1;
    // Medians of normal samples vary by a factor of pi / 2 more than their means do.
    const double error = DeviationOf(residuals) * std::sqrt(runs / degrees) *
                         std::sqrt(std::numbers::pi / 2 * inverse);
    const double half = stats::StudentCritical(confidence, degrees) * error;
    const double mean = MeanChangeOf(groups);
    return Between(mean, std::max(0.0, mean - half), mean + half, confidence);
  }

  // From the differences of successive runs: the runs that are compared are close in time, so that
  // slow changes of the machine do not count.
  double Detectable() const {
    if (Repeats()) return 0;
    std::vector<double> steps;
    for (std::size_t i = 1; i < findings_.fixed.size(); ++i) {
      steps.push_back(std::abs(findings_.fixed[i] - findings_.fixed[i - 1]));
    }
    const double deviation = DeviationOf(steps) / std::numbers::sqrt2;
    return kDetectableDeviations * deviation / std::abs(Median(findings_.fixed));
  }

  // The standard deviation of a normal distribution with these absolute residuals, by their median;
  // by their squares where most of them are 0.
  static double DeviationOf(const std::vector<double>& residuals) {
    constexpr double kNormalDeviations = 1.4826;  // of a median absolute deviation
    if (const double median = Median(residuals); median > 0) return kNormalDeviations * median;
    double squares = 0;
    for (const double residual : residuals) squares += residual * residual;
    return std::sqrt(squares / static_cast<double>(residuals.size()));
  }

  // What the machine does to every program comes last.
  void Rank() {
    std::ranges::stable_sort(findings_.causes, [](const Cause& a, const Cause& b) {
      if (a.significant != b.significant) return a.significant;
      if (IsOfMachine(a) != IsOfMachine(b)) return IsOfMachine(b);
      return std::abs(a.effect.Value()) > std::abs(b.effect.Value());
    });
  }

  const std::vector<FactorLevels>& factors_;
  const Measure& measure_;
  const DesignOptions& options_;
  const Progress& progress_;
  stats::Generator generator_;
  std::vector<Candidate> candidates_;
  Findings findings_;
};

}  // namespace

bool IsOfMachine(const Cause& cause) {
  return Text(cause.factors.front()).nature == Nature::kMachine;
}

Result<Findings> FindCauses(const std::vector<FactorLevels>& factors, const Measure& measure,
                            const DesignOptions& options, const Progress& progress) {
  return Designer(factors, measure, options, progress).Find();
}

}  // namespace tare::why
