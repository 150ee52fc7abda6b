// run_design.cc: screening by bisection, then confirmation with new runs.
#include "analysis/why/run_design.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>

#include "analysis/why/effect_size.h"
#include "base/stop.h"
#include "stats/compare.h"
#include "stats/correction.h"
#include "stats/permutation.h"
#include "stats/random.h"

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
// Where the budget is too short for more: enough for Holm's correction of six tests.
constexpr Sizes kQuietShort{8, 1, 5, 5, 5};
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
    TRY(const bool measured, MeasureFixed(kFirstFixedRuns));
    if (!measured) {
      return Fail(ErrorKind::kTimedOut,
                  fmt::format("the budget does not allow {} runs with all factors fixed; raise it "
                              "with --budget",
                              kFirstFixedRuns));
    }
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
    unsigned level = 0;     // at which it changed, if the response repeats
    double p = 1;           // p-value, if the response scatters
    std::size_t tried = 0;  // levels at which it did not change
    bool cut = false;       // by the budget: it may change the response
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

  bool Fits(std::size_t runs) {
    const bool fits = options_.fits(runs);
    if (!fits) {
      findings_.out_of_budget = true;
      findings_.unaffordable_runs = std::max(findings_.unaffordable_runs, runs);
    }
    return fits;
  }

  // Absent if the budget does not allow it.
  Result<std::optional<double>> Run(const Levels& levels, std::string_view what) {
    if (!Fits(1)) return std::nullopt;
    ++findings_.runs;
    if (!progress_(Done(), what)) return Stopped();
    const auto value = measure_(levels);
    if (!value && value.error().kind == ErrorKind::kTimedOut && !Fits(1)) return std::nullopt;
    if (!value) return std::unexpected(value.error());
    findings_.samples.push_back({levels, *value});
    return *value;
  }

  // The number of runs is not known in advance, so the fraction only approaches 1.
  double Done() const {
    const double runs = static_cast<double>(findings_.runs);
    return runs / (runs + 20);
  }

  // False if the budget did not allow all of them.
  Result<bool> MeasureFixed(std::size_t runs) {
    for (std::size_t i = 0; i < runs; ++i) {
      TRY(const auto value, Run({}, "all factors fixed"));
      if (!value) return false;
      findings_.fixed.push_back(*value);
    }
    return true;
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
    Screened screened;
    for (const unsigned level : order) {
      TRY(const auto value, Run(At(group, level), Names(group)));
      screened.cut = !value;
      if (!value) break;
      if (*value == findings_.fixed[0]) {
        ++screened.tried;
        continue;
      }
      // Repeat it: a change that does not repeat may be scatter.
      TRY(const auto again, Run(At(group, level), Names(group)));
      if (!again) return Cut();
      if (*again == *value) return Screened{.changed = true, .level = level};
      TRY(const bool measured, MeasureFixed(kFirstFixedRuns));
      if (!measured) return Cut();
      if (!Repeats()) return ChangesDespiteNoise(group);
      return Screened{.changed = true, .level = level};
    }
    return screened;
  }

  static Screened Cut() {
    Screened screened;
    screened.cut = true;
    return screened;
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
    if (!Fits(2 * kNoisy.screening)) return Cut();
    for (unsigned i = 0; i < kNoisy.screening; ++i) {
      // In pairs, so that drift affects both alike; in random order, because machines can have a
      // pattern with period two.
      const bool fixed_first = generator_.Below(2) == 0;
      if (fixed_first) {
        TRY(const bool measured, MeasureFixed(1));
        if (!measured) return Cut();
      }
      const auto next = static_cast<unsigned>(pairs.varied.size());
      TRY(const auto value, Run(At(group, 1 + next % levels), Names(group)));
      if (!value) return Cut();
      pairs.varied.push_back(*value);
      if (!fixed_first) {
        TRY(const bool measured, MeasureFixed(1));
        if (!measured) return Cut();
      }
      pairs.fixed.push_back(findings_.fixed.back());
    }
    const Groups groups = {pairs.fixed, pairs.varied};
    TRY(const auto test, stats::CompareGroups(groups, {.seed = generator_.Next()}));
    return Screened{.changed = test.p <= kScreeningLevel, .p = test.p, .tried = kNoisy.screening};
  }

  // Without effect at the first `tried` levels; 0: not tested.
  void Clear(const Group& group, std::size_t tried) {
    for (const FactorLevels& entry : group) {
      findings_.cleared.push_back({entry.factor, std::min<std::size_t>(tried, entry.levels)});
    }
  }

  // Tests all factors together first; for most programs nothing changes.
  Result<void> Screen(const Group& all) {
    TRY(auto changed, Changes(all, std::nullopt));
    Pairs pairs;
    for (int i = 1; i < kMaxScreenings && !changed.changed; ++i) {
      if (Repeats() || changed.cut || Detectable() <= kLargeEffect) break;
      TRY(const auto more, ChangesDespiteNoise(all, pairs));
      if (more.cut) break;
      changed = more;
    }
    if (!changed.changed) {
      Clear(all, changed.tried);
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
    // Without the runs that confirm a cause, the others would be in vain.
    const std::size_t runs = Repeats() ? 1 + RunsOf(kQuietShort, 1)
                                       : 2 * 2 * kNoisy.screening + RunsOf(kNoisy, kNoisy.levels);
    if (!Fits(runs)) {
      Clear(group, 0);
      return {};
    }
    const auto middle = group.begin() + static_cast<std::ptrdiff_t>(group.size() / 2);
    const Group first(group.begin(), middle);
    const Group second(middle, group.end());
    TRY(auto first_half, Changes(first, Likely(whole)));
    TRY(auto second_half, Changes(second, Likely(whole)));
    const bool cut = first_half.cut || second_half.cut;
    if (!first_half.changed && !second_half.changed && !cut) {
      if (Repeats() && whole.level != 0) return FindTogether(group, whole.level);
      // Noise hid the effect, or there was none: continue with the half with the lower p-value.
      (first_half.p <= second_half.p ? first_half : second_half).changed = true;
    }
    if (first_half.changed) {
      TRY_VOID(Bisect(first, first_half));
    } else {
      Clear(first, first_half.tried);
    }
    if (second_half.changed) {
      TRY_VOID(Bisect(second, second_half));
    } else {
      Clear(second, second_half.tried);
    }
    return {};
  }

  // The group changes the response at this level and neither half does: removes one factor after
  // another while the rest still changes it.
  Result<void> FindTogether(Group group, unsigned level) {
    for (const FactorLevels& entry : Group(group)) {
      if (group.size() <= 2) break;
      Group rest = group;
      std::erase_if(rest, [&](const FactorLevels& other) { return other.factor == entry.factor; });
      TRY(const auto value, Run(At(rest, level), Names(rest)));
      if (!value) break;
      if (*value == findings_.fixed[0]) continue;
      group = std::move(rest);
      Clear({entry}, Now().screening);
    }
    candidates_.push_back({std::move(group), level});
    return {};
  }

  // Runs of the confirmation at so many levels.
  static std::size_t RunsOf(const Sizes& sizes, std::size_t levels) {
    return sizes.fixed + levels * ReplicatesOf(sizes, levels);
  }

  static std::size_t ReplicatesOf(const Sizes& sizes, std::size_t levels) {
    return std::max(sizes.replicates, (sizes.varied + levels - 1) / levels);
  }

  // Levels to test: the one that showed a change first, then others.
  static std::vector<unsigned> TestLevels(const Candidate& candidate, const Sizes& sizes) {
    const auto max = std::min<std::size_t>(sizes.levels, LevelsOf(candidate.group));
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
      TRY(auto cause, Test(candidate));
      if (!cause) {
        Clear(candidate.group, 0);
        continue;
      }
      p_values.push_back(cause->p);
      findings_.causes.push_back(*std::move(cause));
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

  // The largest plan that fits into the budget, or the smallest.
  Sizes TestSizes(const Candidate& candidate) {
    if (!Repeats()) return kNoisy;
    return Fits(RunsOf(kQuiet, TestLevels(candidate, kQuiet).size())) ? kQuiet : kQuietShort;
  }

  // Absent if the budget does not allow it.
  Result<std::optional<Cause>> Test(const Candidate& candidate) {
    const Sizes sizes = TestSizes(candidate);
    const std::vector<unsigned> levels = TestLevels(candidate, sizes);
    if (!Fits(RunsOf(sizes, levels.size()))) return std::nullopt;
    const std::size_t replicates = ReplicatesOf(sizes, levels.size());
    // Indices of groups; group 0 has all factors fixed.
    std::vector<std::size_t> order(sizes.fixed, 0);
    for (std::size_t i = 0; i < levels.size(); ++i) order.insert(order.end(), replicates, i + 1);
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[static_cast<std::size_t>(generator_.Below(i))]);
    }
    Groups groups(levels.size() + 1);
    const std::string what = "confirming " + Names(candidate.group);
    for (const std::size_t group : order) {
      const Levels at = group == 0 ? Levels{} : At(candidate.group, levels[group - 1]);
      TRY(const auto value, Run(at, what));
      if (!value) return std::nullopt;
      groups[group].push_back(*value);
      if (group == 0) findings_.fixed.push_back(*value);
    }
    TRY(const auto test, stats::CompareGroups(groups, {.seed = generator_.Next()}));
    Cause cause;
    for (const FactorLevels& entry : candidate.group) cause.factors.push_back(entry.factor);
    TRY(cause.effect, EffectOf(groups, 1 - options_.alpha));
    cause.largest = LargestOf(groups);
    cause.p = test.p;
    cause.levels = levels.size();
    cause.runs = order.size();
    return cause;
  }

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
