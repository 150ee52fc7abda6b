// compare_tables_report.cc: the summary and the complete report of a comparison of counts.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <string_view>
#include <utility>

#include "base/printable.h"
#include "base/units.h"
#include "cli/commands/count/compare_plots.h"
#include "cli/commands/count/compare_tables.h"

namespace tare::cli {
namespace {

using machines::BenchmarkResult;
using machines::Comparison;

std::string Counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string AgreementSentence(const Comparison& comparison) {
  std::size_t compared = 0;
  std::size_t equal = 0;
  std::string last;
  for (const BenchmarkResult& result : comparison.benchmarks) {
    if (!result.between) continue;
    ++compared;
    if (result.between->Value() != 0) continue;
    ++equal;
    last = Printable(result.benchmark);
  }
  if (compared == 0)
    return "No benchmark was counted on two or more machines that contribute to the mean.";
  if (equal == compared) {
    return fmt::format("All machines have the same counts for {}.",
                       compared == 1 ? "the benchmark" : "all benchmarks");
  }
  if (compared == 1) return "The machines have different counts.";
  return fmt::format("The machines have the same counts for {} of {} benchmarks{}.",
                     equal == 0 ? "none" : fmt::to_string(equal), compared,
                     equal == 1 ? fmt::format(", {}", last) : "");
}

// Empty if there are no outliers.
std::string OutlierSentence(const Comparison& comparison) {
  std::vector<std::size_t> times(comparison.machines.size(), 0);
  for (const BenchmarkResult& result : comparison.benchmarks) {
    for (std::size_t j = 0; j < times.size(); ++j) {
      if (result.machines[j] && result.machines[j]->outlier) ++times[j];
    }
  }
  const auto max = std::ranges::max_element(times);
  if (*max == 0) return "";
  const auto index = static_cast<std::size_t>(max - times.begin());
  const bool shared = std::ranges::count(times, *max) > 1;
  return fmt::format(" {} is an outlier most often, in {}{}.",
                     Printable(comparison.machines[index]), Counted(*max, "benchmark"),
                     shared ? "; others as often" : "");
}

std::string VariationSentence(const Comparison& comparison, bool between) {
  const BenchmarkResult* largest = nullptr;
  double max = 0;
  for (const BenchmarkResult& result : comparison.benchmarks) {
    const auto relative = result.Relative(between ? result.between : result.within);
    if (!relative || relative->Value() <= max) continue;
    max = relative->Value();
    largest = &result;
  }
  if (largest == nullptr) return "";
  return fmt::format(" The largest coefficient of variation {} is {} % ({}).",
                     between ? "between machines" : "within a machine", Rounded(100 * max, 2),
                     Printable(largest->benchmark));
}

std::string NoInter(const Comparison& comparison) {
  return fmt::format("No comparison between machines: there is only one, {}.",
                     Printable(comparison.machines[0]));
}

void AddPlots(const Comparison& comparison, report::Document& document) {
  const auto names = ShownBenchmarks(comparison);
  if (comparison.machines.size() > 1) {
    document.blocks.emplace_back(DeviationDots(comparison, names));
    std::vector<VariationRow> rows;
    for (const std::string& name : names) rows.push_back({name, "between machines"});
    document.blocks.emplace_back(VariationDots(comparison, rows));
  }
  if (comparison.repeated) document.blocks.emplace_back(WithinDots(comparison, names));
}

constexpr std::string_view kNoIntra =
    "No comparison within machines: every machine has one run of each benchmark.";

std::vector<std::string> Words(std::string_view list) {
  std::vector<std::string> words;
  for (const auto part : std::views::split(list, ',')) {
    const std::string_view word(part.begin(), part.end());
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

}  // namespace

std::string CompareSummary(const Comparison& comparison) {
  if (comparison.machines.size() == 1) {
    const std::string variation = VariationSentence(comparison, false);
    if (!variation.empty()) return variation.substr(1);
    return fmt::format("All runs of {} have the same counts.", Printable(comparison.machines[0]));
  }
  return AgreementSentence(comparison) + OutlierSentence(comparison) +
         VariationSentence(comparison, true);
}

Result<Outcome> CompareReportOf(const CompareOptions& options, const Session& session) {
  const std::vector<std::filesystem::path> paths(options.files.begin(), options.files.end());
  TRY(const auto counts, machines::ReadCounts(paths, options.metric));
  TRY(const auto comparison,
      machines::Compare(counts, {Words(options.excluded), options.confidence}));
  return MakeOutcome(session, [&](bool all) -> Result<Outcome> {
    Outcome outcome;
    report::Document& document = outcome.document;
    document.title =
        fmt::format("Counts of {} on {}", Counted(comparison.benchmarks.size(), "benchmark"),
                    Counted(comparison.machines.size(), "machine"));
    if (comparison.repeated) {
      document.blocks.emplace_back(IntraTable(comparison));
    } else {
      document.blocks.emplace_back(report::Text{"intra", std::string(kNoIntra)});
    }
    if (comparison.machines.size() > 1) {
      document.blocks.emplace_back(InterTable(comparison));
      report::Table outliers = OutlierTable(comparison);
      if (all || !outliers.rows.empty()) {
        document.blocks.emplace_back(std::move(outliers));
      }
    } else {
      document.blocks.emplace_back(report::Text{"inter", NoInter(comparison)});
    }
    if (all) document.blocks.emplace_back(RunsTable(comparison));
    document.blocks.emplace_back(report::Text{"summary", CompareSummary(comparison)});
    if (all) AddPlots(comparison, document);
    return outcome;
  });
}

}  // namespace tare::cli
