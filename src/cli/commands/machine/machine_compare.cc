// machine_compare.cc: `tare machine compare`: compares two profiles.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/grouped.h"
#include "base/printable.h"
#include "base/units.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/machine/machine_compare_tables.h"
#include "cli/machine_profiles.h"
#include "machine/profile/curve.h"
#include "machine/profile/memory_model.h"

namespace tare::cli {
namespace {

struct CompareOptions {
  bool points = false;
};

const auto kMachineCompareFlags = std::to_array<Flag<CompareOptions>>({
    {{"--points", "", "also list every point of the curves"}, &CompareOptions::points},
});

constexpr std::array kMachineCompareExamples = {
    Example{"tare machine compare skylake-server zen2", "two of the shipped profiles"},
    Example{"tare machine compare before.json after.json --points",
            "two measurements of one machine, point by point"},
};

std::string Size(std::uint64_t bytes) {
  const ScaledUnit unit = ReadableUnit(static_cast<double>(bytes), "B");
  return fmt::format("{} {}", Rounded(static_cast<double>(bytes) * unit.factor, 3), unit.symbol);
}

// Without curves: how much faster the second machine is by the figures that both profiles have.
std::string FiguresText(const machine_profile::Comparison& comparison, const std::string& first,
                        const std::string& second) {
  std::vector<std::pair<double, std::string>> speeds;
  for (const machine_profile::LevelPair& level : comparison.levels) {
    if (!level.first || !level.second) continue;
    if (level.first->load && level.second->load) {
      speeds.emplace_back(level.second->load->Value() / level.first->load->Value(),
                          fmt::format("loads from {}", Printable(level.name)));
    }
    if (level.first->latency && level.second->latency) {
      speeds.emplace_back(level.first->latency->Value() / level.second->latency->Value(),
                          fmt::format("latency of {}", Printable(level.name)));
    }
  }
  for (const machine_profile::RatePair& rate : comparison.rates) {
    const bool is_speed = rate.unit.ends_with("/s") || rate.unit == "Hz";
    if (is_speed && rate.ratio) speeds.emplace_back(rate.ratio->Value(), Printable(rate.name));
  }
  if (speeds.size() < 2) return "";
  const auto [least, most] = std::ranges::minmax_element(speeds);
  const auto fast = [](double factor) {
    const std::string shown = Rounded(factor, 3);
    return shown == "1" ? "as fast" : shown + " times as fast";
  };
  const std::string low = fast(least->first);
  const std::string high = fast(most->first);
  if (low == high) {
    return fmt::format("By what both profiles state, {} is {} as {}. ", Printable(second), low,
                       Printable(first));
  }
  return fmt::format("By what both profiles state, {} is {} ({}) to {} ({}) as {}. ",
                     Printable(second), low, least->second, high, most->second, Printable(first));
}

// Of the first curve: how much faster the second machine is, and where least and most.
std::string FasterText(const machine_profile::Comparison& comparison, const std::string& first,
                       const std::string& second) {
  if (comparison.curves.empty() || comparison.curves.front().points.empty())
    return FiguresText(comparison, first, second);
  const machine_profile::CurvePair& curve = comparison.curves.front();
  const auto ratio = [](const machine_profile::PointPair& point) { return point.ratio.Value(); };
  const auto [least, most] = std::ranges::minmax_element(curve.points, {}, ratio);
  const auto times = [](double factor) {
    const std::string shown = Rounded(factor, 3);
    return shown == "1" ? "the same speed" : shown + " times";
  };
  const std::string median = Rounded(curve.median_ratio, 3);
  return fmt::format(
      "{} is {}as fast as {} at the median working set ({}), between {} at {} and {} at {}. ",
      Printable(second), median == "1" ? "" : median + " times ", Printable(first),
      CurveName(curve.key), times(ratio(*least)), Size(least->bytes), times(ratio(*most)),
      Size(most->bytes));
}

bool HasIntervals(const machine_profile::Profile& profile) {
  return std::ranges::any_of(profile.curves, [](const machine_profile::Curve& curve) {
    return std::ranges::any_of(curve.points, [](const machine_profile::CurvePoint& point) {
      return point.rate.HasInterval();
    });
  });
}

// Why no point of a curve was judged.
std::string NotJudged(const machine_profile::Comparison& comparison,
                      const machine_profile::Profile& first,
                      const machine_profile::Profile& second) {
  std::string reason = "no size has an interval in both";
  if (comparison.curves.empty()) {
    reason = "they have no curve in common";
  } else if (!HasIntervals(first) && !HasIntervals(second)) {
    reason = "neither has intervals, because their numbers were not measured by tare";
  } else if (!HasIntervals(first) || !HasIntervals(second)) {
    const auto& without = HasIntervals(first) ? second : first;
    reason = fmt::format("the curves of {} have no intervals ({}), so that only ratios are shown",
                         Printable(without.name), Name(without.origin));
  }
  return fmt::format("Whether the two agree cannot be judged: {}.", reason);
}

std::string AgreementText(const machine_profile::Comparison& comparison,
                          const machine_profile::Profile& first,
                          const machine_profile::Profile& second) {
  const auto share = comparison.AgreeingShare();
  if (!share) return NotJudged(comparison, first, second);
  return fmt::format("The intervals of {} of {} points overlap ({:.1f} %).",
                     Grouped(comparison.agree), Grouped(comparison.compared), 100 * *share);
}

Result<Outcome> RunMachineCompare(const CompareOptions& options, Session& session) {
  TRY(auto first, ProfileOf(session.operands[0]));
  TRY(auto second, ProfileOf(session.operands[1]));
  first = machine_profile::WithCurves(std::move(first));
  second = machine_profile::WithCurves(std::move(second));
  const machine_profile::Comparison comparison = machine_profile::Compare(first, second);
  const auto make = [&](bool whole) -> Result<report::Document> {
    report::Document document;
    document.title = fmt::format("Machine profiles {} and {}", first.name, second.name);
    const auto add = [&](auto block, bool empty) {
      if (whole || !empty) document.blocks.emplace_back(std::move(block));
    };
    auto plot = RatioPlot(comparison, first);
    const bool no_lines = plot.lines.empty();
    add(std::move(plot), no_lines);
    add(LevelPairTable(comparison, whole), comparison.levels.empty());
    add(RatePairTable(comparison, whole), comparison.rates.empty());
    add(CurvePairTable(comparison), comparison.curves.empty());
    if (whole || options.points) document.blocks.emplace_back(PointPairTable(comparison));
    document.blocks.emplace_back(
        report::Text{"answer", FasterText(comparison, first.name, second.name) +
                                   AgreementText(comparison, first, second)});
    const std::string conditions = DifferentConditions(first, second);
    if (!conditions.empty()) {
      AddCaveats(document, std::array{Caveat{CaveatId::kOtherConditions, conditions}});
    }
    return document;
  };
  return MakeOutcome(session, make);
}

}  // namespace

Command MachineCompareCommand() {
  return MakeCommand<CompareOptions>(
      {"machine compare",
       "compare two profiles: levels, rates and curves",
       "Shows the levels, rates and curves of two profiles side by side. Ratios are the second "
       "over the first. Curves are compared at every size that either profile has, with "
       "log-log interpolation between points. Points agree if their intervals overlap.",
       kMachineCompareExamples,
       false,
       {"PROFILE PROFILE", 2, 2}},
      kMachineCompareFlags, RunMachineCompare);
}

}  // namespace tare::cli
