// machine_compare.cc: `tare machine compare`: compares two profiles.
#include <fmt/format.h>

#include <algorithm>
#include <array>

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

// Of the first curve: how much faster the second machine is, and where least and most.
std::string FasterText(const machine_profile::Comparison& comparison, const std::string& first,
                       const std::string& second) {
  if (comparison.curves.empty() || comparison.curves.front().points.empty()) return "";
  const machine_profile::CurvePair& curve = comparison.curves.front();
  const auto ratio = [](const machine_profile::PointPair& point) { return point.ratio.Value(); };
  const auto [least, most] = std::ranges::minmax_element(curve.points, {}, ratio);
  return fmt::format(
      "{} is {} times as fast as {} at the median working set ({}), between {} times at {} and {} "
      "times at {}. ",
      Printable(second), Rounded(curve.median_ratio, 3), Printable(first), CurveName(curve.key),
      Rounded(ratio(*least), 3), Size(least->bytes), Rounded(ratio(*most), 3), Size(most->bytes));
}

std::string AgreementText(const machine_profile::Comparison& comparison) {
  const auto share = comparison.AgreeingShare();
  if (!share)
    return "Whether the two agree cannot be judged: no point has an interval in both profiles.";
  return fmt::format("The intervals of {} of {} points overlap ({:.1f} %).", comparison.agree,
                     comparison.compared, 100 * *share);
}

Result<Outcome> RunMachineCompare(const CompareOptions& options, Session& session) {
  TRY(auto first, ProfileOf(session.operands[0]));
  TRY(auto second, ProfileOf(session.operands[1]));
  first = machine_profile::WithCurves(std::move(first));
  second = machine_profile::WithCurves(std::move(second));
  const machine_profile::Comparison comparison = machine_profile::Compare(first, second);
  Outcome outcome;
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
    document.blocks.emplace_back(report::Text{
        "answer", FasterText(comparison, first.name, second.name) + AgreementText(comparison)});
    const std::string conditions = DifferentConditions(first, second);
    if (!conditions.empty()) {
      AddCaveats(document, std::array{Caveat{CaveatId::kOtherConditions, conditions}});
    }
    return document;
  };
  TRY_VOID(MakeDocuments(session, make, outcome));
  return outcome;
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
