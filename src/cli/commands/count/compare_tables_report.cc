// compare_tables_report.cc: the summary and the complete report of a comparison of counts.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <string_view>
#include <utility>

#include "base/printable.h"
#include "cli/commands/count/compare_tables.h"

namespace tare::cli {
namespace {

using compare::BenchmarkResult;
using compare::Comparison;

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
  if (compared == 0) return "No benchmark was counted by two machines that make a mean.";
  if (equal == compared) {
    return fmt::format("All machines agree to the last count on {}.",
                       compared == 1 ? "the benchmark" : "all benchmarks");
  }
  if (compared == 1) return "The machines do not agree to the last count.";
  return fmt::format("The machines agree to the last count on {} of {} benchmarks{}.",
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
  const auto most = std::ranges::max_element(times);
  if (*most == 0) return "";
  const auto index = static_cast<std::size_t>(most - times.begin());
  const bool shared = std::ranges::count(times, *most) > 1;
  return fmt::format(" {} stands far from the others most often, in {}{}.",
                     Printable(comparison.machines[index]), Counted(*most, "benchmark"),
                     shared ? ", and others as often" : "");
}

std::string VariationSentence(const Comparison& comparison, bool between) {
  const BenchmarkResult* largest = nullptr;
  double most = 0;
  for (const BenchmarkResult& result : comparison.benchmarks) {
    const auto relative = result.Relative(between ? result.between : result.within);
    if (!relative || relative->Value() <= most) continue;
    most = relative->Value();
    largest = &result;
  }
  if (largest == nullptr) return "";
  return fmt::format(" The largest coefficient of variation {} is {:.2g} % ({}).",
                     between ? "between machines" : "within a machine", 100 * most,
                     Printable(largest->benchmark));
}

std::string NoInter(const Comparison& comparison) {
  return fmt::format("Between machines there is nothing to compare: the only one is {}.",
                     Printable(comparison.machines[0]));
}

constexpr std::string_view kNoIntra =
    "Within machines there is nothing to compare: every machine has one run of each benchmark.";

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
    return fmt::format("The runs of {} agree to the last count.",
                       Printable(comparison.machines[0]));
  }
  return AgreementSentence(comparison) + OutlierSentence(comparison) +
         VariationSentence(comparison, true);
}

Result<Outcome> CompareReportOf(const CompareOptions& options, const Session& session) {
  const std::vector<std::filesystem::path> paths(options.files.begin(), options.files.end());
  TRY(const auto counts, compare::ReadCounts(paths, options.metric));
  TRY(const auto comparison, compare::Compare(counts, {Words(options.aside), options.confidence}));
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
    if (session.machine_readable || !outliers.rows.empty()) {
      document.blocks.emplace_back(std::move(outliers));
    }
  } else {
    document.blocks.emplace_back(report::Text{"inter", NoInter(comparison)});
  }
  if (session.machine_readable) document.blocks.emplace_back(RunsTable(comparison));
  document.blocks.emplace_back(report::Text{"summary", CompareSummary(comparison)});
  return outcome;
}

}  // namespace tare::cli
