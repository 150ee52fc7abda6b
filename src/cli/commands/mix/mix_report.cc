// mix_report.cc: reads the files and adds their tables to a document.
#include "cli/commands/mix/mix_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/grouped.h"
#include "base/printable.h"
#include "binary/mix/full_mix.h"
#include "cli/cells.h"
#include "cli/commands/mix/mix_compare_tables.h"
#include "cli/commands/mix/mix_tables.h"

namespace tare::cli {
namespace {

// A table with more rows takes gigabytes; --top 0 still gives all of them.
constexpr std::size_t kMaxRows = 100'000;

std::size_t MostRows(const std::optional<std::int64_t>& top, bool all) {
  if (!top) return all ? kMaxRows : 20;
  return *top == 0 ? SIZE_MAX : static_cast<std::size_t>(*top);
}

// Adds the tables of one command line.
class MixReport {
 public:
  MixReport(const MixOptions& options, Session& session, bool all)
      : options_(options), session_(session), all_(all), most_(MostRows(options.top, all)) {}

  Result<Outcome> Make() {
    TRY_VOID(CheckOptions());
    TRY(const auto measurement, mix::MeasurementInterface::Make(options_.interface));
    if (!options_.weights.empty()) {
      TRY(weights_, mix::ReadWeights(options_.weights));
    }
    const bool compares = session_.operands.size() == 2;
    const bool sources = compares || options_.per == "line" || options_.per == "inlined" ||
                         options_.per == "function" || options_.per.empty();
    for (const auto& operand : session_.operands) {
      TRY(auto file, mix::ReadFileMix(operand, sources, session_.progress));
      files_.push_back(std::move(file));
      names_.push_back(Printable(files_.back().path.filename().string()));
      uses_.push_back(mix::FindInterfaceUses(*files_.back().code, measurement));
      TRY_VOID(AddInclusive());
    }
    if (compares) {
      AddComparison(mix::Compare(files_[0], files_[1], measurement, uses_[0], uses_[1]));
    } else {
      AddOne();
    }
    TRY_VOID(AddDetails());
    if (!compares) {
      Put(report::Text{"answer", MixAnswer(files_[0], names_[0], uses_[0], inclusive_[0], Root())});
    }
    AddAllCaveats();
    return std::move(outcome_);
  }

 private:
  Result<void> CheckOptions() const {
    const auto columns = SortColumns();
    if (std::ranges::find(columns, options_.sort) != columns.end()) return {};
    return Fail(ErrorKind::kUsage, fmt::format("--sort {}: expected one of {}",
                                               Printable(options_.sort), fmt::join(columns, ", ")));
  }

  // A root that the user named must exist; a missing main is only reported.
  Result<void> AddInclusive() {
    const auto& file = files_.back();
    const auto root = mix::FindRoot(file, options_.root);
    if (!root && !options_.root.empty()) return std::unexpected(root.error());
    if (root) {
      inclusive_.emplace_back(mix::InclusiveOf(*file.code, *root));
      reached_.push_back(code::ReachableFrom(*file.code, *root, code::Edges::kCertain));
    } else {
      inclusive_.emplace_back(std::unexpected(root.error()));
      reached_.emplace_back();
    }
    return {};
  }

  // The maximum rows of a long table; 0 if another table is requested.
  std::size_t RowsOf(std::string_view table) const {
    return session_.only_block.empty() || session_.only_block == table ? most_ : 0;
  }

  void Put(report::Block block) { outcome_.document.blocks.push_back(std::move(block)); }

  std::string Root() const { return options_.root.empty() ? "main" : options_.root; }

  void AddBars() {
    std::vector<MixBar> bars;
    for (std::size_t i = 0; i < files_.size(); ++i)
      bars.push_back(
          {names_[i], files_[i].code->total().categories, InterfaceCounts(uses_[i]), ""});
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (!inclusive_[i]) continue;
      const auto& inclusive = *inclusive_[i];
      bars.push_back({fmt::format("{}: {}", names_[i], Printable(Root())), inclusive.certain,
                      InterfaceCounts(uses_[i], reached_[i]),
                      IsExact(inclusive) ? "" : "a lower bound: indirect calls may reach more"});
    }
    Put(MixBars(bars));
  }

  void AddOne() {
    const auto& file = files_[0];
    outcome_.document.title = fmt::format("Instructions in {}", names_[0]);
    AddBars();
    Put(TotalTable(file, uses_[0]));
    Put(InclusiveTable(inclusive_[0], Root()));
    Put(FactsTable(file, mix::FactsOf(*file.code)));
    if (!uses_[0].uses.empty()) Put(InterfaceTable(uses_, names_));
    if (weights_) {
      const auto weighted = mix::Weigh(file, *weights_);
      Put(WeightedTable(file, weighted));
      AddWeightCaveats(weighted);
    }
    if (Lists("function") || options_.per.empty())
      Put(FunctionMixTable(file, options_.sort, RowsOf("functions"), Lists("function"),
                           options_.per == "function"));
    outcome_.details = {"mix", "inclusive", "facts"};
  }

  void AddComparison(const mix::Comparison& comparison) {
    outcome_.document.title = fmt::format("{} and {}", names_[0], names_[1]);
    AddBars();
    Put(DifferenceTable(files_[0], files_[1], uses_[0], uses_[1]));
    Put(InclusiveDifferenceTable(inclusive_[0], inclusive_[1], Root()));
    Put(CallReasonTable(comparison));
    if (!uses_[0].uses.empty() || !uses_[1].uses.empty()) Put(InterfaceTable(uses_, names_));
    Put(FactsDifferenceTable(FactsTable(files_[0], mix::FactsOf(*files_[0].code)),
                             FactsTable(files_[1], mix::FactsOf(*files_[1].code))));
    if (weights_) {
      const auto first = mix::Weigh(files_[0], *weights_);
      Put(WeightedDifferenceTable(mix::WeighLike(files_[0], first),
                                  mix::WeighLike(files_[1], first)));
      AddWeightCaveats(first);
    }
    if (Lists("function") || options_.per.empty()) {
      const bool all = all_ || session_.verbose || !options_.per.empty();
      Put(FunctionDifferenceTable(comparison, RowsOf("difference_functions"), all));
      Put(LoneTable(comparison, RowsOf("only"), Lists("function")));
    }
    if (Lists("call")) Put(CallChangeTable(comparison, RowsOf("call_changes")));
    outcome_.details = {"mix", "inclusive", "facts"};
    if (comparison.lone.empty()) outcome_.details.emplace_back("only");
    outcome_.details.emplace_back("calls");
    Put(report::Text{"summary", ComparisonSummary(files_[0], files_[1], comparison, uses_[1])});
  }

  // Machine-readable output has everything that takes no extra work.
  bool Lists(std::string_view what) const { return options_.per == what || all_; }

  Result<void> AddDetails() {
    const bool compares = files_.size() == 2;
    if (Lists("class") || Lists("operand")) {
      const auto first = FullMixOf(0);
      const auto last = FullMixOf(files_.size() - 1);
      if (Lists("class"))
        PutDetail(compares ? ClassDifferenceTable(first, last) : ClassTable(first, all_));
      if (Lists("operand"))
        PutDetail(compares ? OperandDifferenceTable(first, last) : OperandTable(first));
    }
    if (options_.per == "call" && !compares) Put(CallTable(files_[0], RowsOf("calls")));
    if (options_.per != "line" && options_.per != "inlined") return {};
    // Of two files, the second; the first can be analyzed alone.
    const auto& file = files_.back();
    if (!file.sources)
      return Fail(ErrorKind::kUnsupported, fmt::format("{}: {}", names_.back(), file.no_sources));
    const auto by_source = mix::SourceMixOf(file);
    Put(options_.per == "line" ? LineTable(file, by_source, RowsOf("lines"))
                               : InlinedTable(file, by_source, RowsOf("inlined")));
    return {};
  }

  // Of the requested root and what it calls, or of the whole file.
  code::FullMix FullMixOf(std::size_t i) const {
    if (options_.root.empty()) return files_[i].code->total();
    return mix::FullMixOf(*files_[i].code, reached_[i]);
  }

  void PutDetail(report::Table table) {
    if (!options_.root.empty())
      table.title += fmt::format(", {} and what it calls", Printable(options_.root));
    Put(std::move(table));
  }

  void AddWeightCaveats(const mix::WeightedMix& weighted) {
    if (weighted.of_time) caveats_.push_back({CaveatId::kTimeWeights, ""});
    if (!weighted.by_block) caveats_.push_back({CaveatId::kEvenWeights, ""});
    if (weighted.missed > 0 || weighted.covered == 0)
      caveats_.push_back({CaveatId::kWeightsMissing,
                          fmt::format("{:.0f} of {:.0f} instructions of this file", weighted.missed,
                                      weighted.missed + weighted.covered)});
  }

  void AddAllCaveats() {
    for (std::size_t i = 0; i < files_.size(); ++i) {
      if (inclusive_[i] && inclusive_[i]->unresolved > 0)
        caveats_.push_back({CaveatId::kUnresolvedCalls,
                            fmt::format("{} in {}", inclusive_[i]->unresolved, names_[i])});
      if (!files_[i].sources) continue;
      for (const auto& problem : files_[i].sources->problems())
        caveats_.push_back(
            {CaveatId::kDebugIncomplete, fmt::format("{}: {}", names_[i], Printable(problem))});
    }
    if (files_.size() == 2)
      for (std::size_t i = 0; i < files_.size(); ++i)
        if (const auto nameless = mix::FactsOf(*files_[i].code).functions_without_name;
            nameless > 0 && files_[i].image->stripped())
          caveats_.push_back({CaveatId::kNoNames,
                              fmt::format("{} functions of {}", Grouped(nameless), names_[i])});
    AddCaveats(outcome_.document, caveats_);
  }

  const MixOptions& options_;
  Session& session_;
  bool all_;  // every table and row, for machines
  std::size_t most_;
  std::vector<mix::FileMix> files_;
  std::vector<std::string> names_;
  std::vector<mix::InterfaceUses> uses_;
  std::vector<Result<mix::Inclusive>> inclusive_;
  std::vector<std::vector<std::uint32_t>> reached_;
  std::optional<mix::Weights> weights_;
  std::vector<Caveat> caveats_;
  Outcome outcome_;
};

}  // namespace

Result<Outcome> MixReportOf(const MixOptions& options, Session& session) {
  return MakeOutcome(session, [&](bool all) { return MixReport(options, session, all).Make(); });
}

}  // namespace tare::cli
