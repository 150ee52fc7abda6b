// row_analyses_test.cc: deviations, collected rows, summaries and fits of known numbers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "analysis/study/case_runner.h"
#include "analysis/study_results/collected_table.h"
#include "analysis/study_results/derived_metrics.h"
#include "analysis/study_results/level_deviation.h"
#include "analysis/study_results/row_fit.h"
#include "analysis/study_results/row_summary.h"
#include "report/json.h"
#include "tests/unit/analysis/study/small_study.h"
#include "tests/unit/analysis/study_results/stored_runs.h"

namespace tare::study_results {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// Programs a and b by two engines; engine q counts 10 more of a, and b varies under it.
StoredRuns TwoEngines() {
  StoredRuns stored({"instructions"}, "");
  for (const char* program : {"a", "b"}) {
    for (const char* engine : {"v", "q"}) {
      const auto index = stored.AddCase({{"program", program}, {"engine", engine}});
      for (std::int64_t r = 0; r < 3; ++r) {
        std::int64_t count = *program == 'a' ? 1000 : 5000;
        if (*engine == 'q') count += *program == 'a' ? 10 : r;
        stored.AddRun(index, r, {Number(count)});
      }
    }
  }
  return stored;
}

TEST(CompareDeviations, LevelsAreComparedWithTheirMeanAndRunsWithTheirs) {
  const ResultSet set = TwoEngines().Set();
  const auto deviations =
      CompareDeviations(set, {{"program"}, 0, {}, 0.95, LevelOfFactor(set, "engine")});
  ASSERT_TRUE(deviations.has_value()) << deviations.error().message;
  EXPECT_THAT(deviations->comparison.machines, ElementsAre("v", "q"));
  EXPECT_THAT(deviations->levels, ElementsAre(ElementsAre("a"), ElementsAre("b")));
  const auto& a = deviations->comparison.benchmarks[0];
  EXPECT_EQ(a.mean.whole, 1005);
  EXPECT_DOUBLE_EQ(a.machines[1]->delta.Value(), 5);
  EXPECT_DOUBLE_EQ(a.machines[1]->within->Value(), 0);
  // 0, 1, 2 more: a standard deviation of 1.
  EXPECT_DOUBLE_EQ(deviations->comparison.benchmarks[1].machines[1]->within->Value(), 1);
}

TEST(CompareDeviations, ExcludedLevelsAreShownButNotAveraged) {
  StoredRuns stored = TwoEngines();
  const auto index = stored.AddCase({{"program", "a"}, {"engine", "compiled"}});
  stored.AddRun(index, 0, {Number(std::int64_t{700})});
  const ResultSet set = stored.Set();
  const auto deviations = CompareDeviations(
      set, {{"program"}, 0, {"compiled", "not run"}, 0.95, LevelOfFactor(set, "engine")});
  ASSERT_TRUE(deviations.has_value()) << deviations.error().message;
  EXPECT_EQ(deviations->comparison.benchmarks[0].mean.whole, 1005);
  EXPECT_DOUBLE_EQ(deviations->comparison.benchmarks[0].machines[2]->delta.Value(), -305);
}

TEST(CompareDeviations, TimesAreComparedInNanoseconds) {
  StoredRuns stored({"wall"});
  for (const double seconds : {1.0, 3.0}) {
    const auto index = stored.AddCase({{"program", seconds < 2 ? "a" : "b"}});
    stored.AddRun(index, 0, {Number(seconds)});
  }
  const ResultSet set = stored.Set();
  const auto deviations = CompareDeviations(set, {{}, 0, {}, 0.95, LevelOfFactor(set, "program")});
  ASSERT_TRUE(deviations.has_value());
  EXPECT_EQ(deviations->scale, 1e9);
  EXPECT_EQ(deviations->comparison.benchmarks[0].mean.whole, 2'000'000'000);
}

TEST(AddDerivedMetrics, ARunThatLacksAMetricLacksTheDerivedOne) {
  study::StoredStudy stored;
  stored.metrics = {{"a", ""}, {"b", ""}};
  stored.runs.resize(2);
  stored.runs[0].values = {Number(std::int64_t{6}), Number(std::int64_t{3})};
  stored.runs[1].values = {Number(std::int64_t{6})};
  const study::Study study = study::Parsed(
      "format = 1\n[[program]]\nname = \"p\"\ncommand = \"true\"\n"
      "[[metric]]\nname = \"a\"\npattern = '(a)'\n[[metric]]\nname = \"b\"\npattern = '(b)'\n"
      "[[metric]]\nname = \"ratio\"\nunit = \"x\"\nexpression = \"a / b\"\n");
  AddDerivedMetrics(study, stored);
  ASSERT_EQ(stored.metrics.size(), 3u);
  EXPECT_EQ(stored.metrics[2].unit, "x");
  EXPECT_EQ(stored.runs[0].values[2], Number(2.0));
  EXPECT_LT(stored.runs[1].values.size(), 3u);
}

report::Table Ratios() {
  report::Table table{"ratios", "", {{"program"}, {"metric"}, {"ratio"}}, {}};
  const auto add = [&](const char* program, const char* metric, double ratio, bool good) {
    Measured cell = Between(ratio, ratio - 0.5, ratio + 0.5, 0.95);
    if (!good) cell.verdict = Verdict::kRefused;
    table.rows.push_back({std::string(program), std::string(metric), cell});
  };
  add("a", "loads", 1, true);
  add("b", "loads", 3, false);
  add("c", "loads", 9, false);
  add("a", "stores", 2, true);
  return table;
}

TEST(NumberOf, PartsOfMeasuredCellsHaveNames) {
  const report::Table table = Ratios();
  EXPECT_EQ(NumberOf(table, table.rows[1], "ratio"), Number(3.0));
  EXPECT_EQ(NumberOf(table, table.rows[1], "ratio.low"), Number(2.5));
  EXPECT_EQ(TextOf(table, table.rows[1], "ratio.verdict"), "refused");
  EXPECT_EQ(TextOf(table, table.rows[1], "metric"), "loads");
  EXPECT_EQ(NumberOf(table, table.rows[1], "metric"), std::nullopt);
  EXPECT_FALSE(HasColumn(table, "ratio.width"));
  EXPECT_FALSE(HasColumn(table, "rate.low"));
}

TEST(SummarizeRows, CountsTextsAndOrdersNumbersByGroup) {
  const auto summaries = SummarizeRows(Ratios(), {"metric"}, {"ratio"}, "ratio.verdict");
  ASSERT_EQ(summaries.size(), 2u);
  EXPECT_THAT(summaries[0].counted, ElementsAre(Pair("refused", 2u), Pair("valid", 1u)));
  const ColumnSummary& loads = summaries[0].columns.front();
  EXPECT_EQ(loads.minimum, 1);
  EXPECT_EQ(loads.median, 3);
  EXPECT_EQ(loads.maximum, 9);
  EXPECT_NEAR(*loads.geometric_mean, 3, 1e-12);
}

TEST(Spread, TextsOfAColumnBecomeColumns) {
  const std::vector<std::string> by = {"program"};
  const report::Table spread = Spread(Ratios(), by, "metric", "ratio");
  ASSERT_EQ(spread.columns.size(), 3u);
  EXPECT_EQ(spread.columns[2].name, "stores");
  ASSERT_EQ(spread.rows.size(), 3u);
  EXPECT_DOUBLE_EQ(std::get<Measured>(spread.rows[0][2]).Value(), 2);
  // c has no stores.
  EXPECT_TRUE(std::holds_alternative<std::monostate>(spread.rows[2][2]));
}

TEST(FitRows, FindsTheLineAndItsInterval) {
  report::Table table{"t", "", {{"busy"}, {"load"}}, {}};
  // y = 1 + 2 x with residuals of +-0.1 that are orthogonal to x and to the constant.
  const double residuals[] = {0.1, -0.1, -0.1, 0.1};
  for (int x = 0; x < 4; ++x) {
    table.rows.push_back({std::to_string(x), Number(1 + 2 * x + residuals[x])});
  }
  const auto fits = FitRows(table, {{}, "busy", "load", 0.95});
  ASSERT_EQ(fits.size(), 1u);
  EXPECT_NEAR(fits[0].slope.Value(), 2, 1e-12);
  EXPECT_NEAR(fits[0].intercept.Value(), 1, 1e-12);
  EXPECT_NEAR(fits[0].deviation.Value(), std::sqrt(0.04 / 2), 1e-12);
  // Sum of squares of y: 4 * 5 + 0.04.
  EXPECT_NEAR(fits[0].determination.Value(), 1 - 0.04 / 20.04, 1e-12);
  // Standard error sqrt(0.02 / 5); Student's 0.975 quantile with 2 degrees of freedom is 4.3027.
  EXPECT_NEAR(fits[0].slope.HalfWidth(), 4.3027 * std::sqrt(0.02 / 5), 1e-4);
}

// y = x for a, b and c; d is 4 above that line, and leaving it out shows all of it.
TEST(FitRows, TheErrorOfAGroupLeftOutIsThatFromTheLineOfTheOthers) {
  report::Table table{"t", "", {{"program"}, {"x"}, {"y"}}, {}};
  const auto add = [&](const char* program, double x, double y) {
    table.rows.push_back({std::string(program), Number(x), Number(y)});
  };
  for (const char* program : {"a", "b", "c"}) {
    const double x = *program - 'a';
    add(program, x, x);
    add(program, x + 10, x + 10);
  }
  FitRequest request{{}, "x", "y", 0.95, "program"};
  EXPECT_NEAR(FitRows(table, request)[0].left_out.Value(), 0, 1e-9);
  add("d", 5, 9);
  const RowFit fit = FitRows(table, request)[0];
  // With d alone left out, its distance is 4; the lines without a, b or c are pulled by d.
  EXPECT_GT(fit.left_out.Value(), 4 / std::sqrt(7.0));
  EXPECT_GT(fit.left_out.Value(), fit.deviation.Value());
  request.leave_out.clear();
  EXPECT_FALSE(FitRows(table, request)[0].left_out.value);
  request.leave_out = "y";
  table.rows.resize(3);
  EXPECT_EQ(FitRows(table, request)[0].left_out.reason,
            "the rows of the others do not decide a line");
}

TEST(AddColumns, ComputesWithTheColumnsOfTextsThatWereSpread) {
  const std::vector<std::string> by = {"metric"};
  report::Table spread = Spread(Ratios(), by, "program", "ratio");
  const std::vector<study::DerivedColumn> columns = {
      {"more", study::MetricExpression::Parse("100 * (b - a) / a").value()}};
  AddColumns(columns, spread);
  EXPECT_EQ(NumberOf(spread, spread.rows[0], "more"), Number(200.0));
  // stores have no b.
  EXPECT_EQ(NumberOf(spread, spread.rows[1], "more"), std::nullopt);
}

TEST(FitRows, SaysWhyThereIsNoLine) {
  report::Table table{"t", "", {{"x"}, {"y"}}, {}};
  for (int i = 0; i < 2; ++i) table.rows.push_back({Number(1.0), Number(1.0 * i)});
  EXPECT_EQ(FitRows(table, {{}, "x", "y", 0.95})[0].slope.reason, "a line needs three rows");
  table.rows.push_back({Number(1.0), Number(7.0)});
  EXPECT_EQ(FitRows(table, {{}, "x", "y", 0.95})[0].slope.reason, "all values of x are the same");
}

// A study of two cases whose runs left a Document each.
struct LeftDocuments {
  study::ScratchDirectory scratch;
  StoredRuns stored{{"wall"}};

  void Leave(std::size_t index, std::int64_t run, const std::string& text) {
    stored.AddRun(index, run, {Number(1.0)});
    const auto directory = study::FilesDirectory(scratch.Path(), std::to_string(index + 1), run);
    std::filesystem::create_directories(directory);
    std::ofstream(directory / "proxy.json") << text;
  }
  static std::string Document(const std::string& id = "ratios") {
    report::Document document;
    document.version = "1";
    document.command = "proxy";
    report::Table table = Ratios();
    table.id = id;
    document.blocks.emplace_back(std::move(table));
    return report::ToJson(document);
  }
};

TEST(CollectRows, JoinsTheDocumentsOfAllCases) {
  LeftDocuments left;
  const auto gcc = left.stored.AddCase({{"compiler", "gcc"}});
  const auto clang = left.stored.AddCase({{"compiler", "clang"}});
  left.Leave(gcc, 0, LeftDocuments::Document());
  left.Leave(clang, 0, LeftDocuments::Document());
  study::RowSource source;
  source.file = "proxy.json";
  source.table = "ratios";
  source.where = {{"metric", {"loads"}}, {"compiler", {"clang"}}};
  source.derived.push_back({"change", study::MetricExpression::Parse("100 * (ratio - 1)").value()});
  const auto collected = CollectRows(left.stored.Set(), source, left.scratch.Path());
  EXPECT_EQ(collected.files, 2u);
  ASSERT_EQ(collected.table.rows.size(), 3u);
  EXPECT_EQ(TextOf(collected.table, collected.table.rows[1], "compiler"), "clang");
  EXPECT_EQ(NumberOf(collected.table, collected.table.rows[1], "change"), Number(200.0));
  // A column of the Document that has the name of a factor is kept apart.
  EXPECT_EQ(TextOf(collected.table, collected.table.rows[1], "program_"), "b");
  EXPECT_FALSE(HasColumn(collected.table, "run"));
}

TEST(CollectRows, SeveralRunsHaveAColumnAndDamagedFilesAreNamed) {
  LeftDocuments left;
  const auto only = left.stored.AddCase({{"program", "p"}});
  left.Leave(only, 0, LeftDocuments::Document());
  left.Leave(only, 1, "{");
  left.Leave(only, 2, LeftDocuments::Document());
  study::RowSource source;
  source.file = "proxy.json";
  source.table = "ratios";
  const auto collected = CollectRows(left.stored.Set(), source, left.scratch.Path());
  EXPECT_EQ(collected.files, 2u);
  EXPECT_EQ(TextOf(collected.table, collected.table.rows.back(), "run"), "2");
  ASSERT_EQ(collected.problems.size(), 1u);
  EXPECT_THAT(collected.problems[0], HasSubstr("1/proxy.json"));
  source.table = "ratio";
  EXPECT_EQ(CollectRows(left.stored.Set(), source, left.scratch.Path()).files, 0u);
}

// They would be names of blocks and columns of the report.
TEST(CollectRows, DocumentsWithOddNamesAreProblems) {
  LeftDocuments left;
  const auto only = left.stored.AddCase({{"program", "p"}});
  left.Leave(only, 0, LeftDocuments::Document("Odd Name"));
  study::RowSource source;
  source.file = "proxy.json";
  source.table = "Odd Name";
  const auto collected = CollectRows(left.stored.Set(), source, left.scratch.Path());
  EXPECT_EQ(collected.files, 0u);
  ASSERT_EQ(collected.problems.size(), 1u);
  EXPECT_THAT(collected.problems[0], HasSubstr("block 'Odd Name' is not well named"));
}

// tare proxy leaves one: a column for each metric.
TEST(CollectRows, ADocumentMayHaveATableWithColumnsNamedAfterItsData) {
  LeftDocuments left;
  const auto only = left.stored.AddCase({{"program", "p"}});
  auto document = report::FromJson(LeftDocuments::Document()).value();
  report::Table wide{"wide", "Ratios by metric", {{"program"}, {"run-time"}}, {{"a", Exact(1)}}};
  wide.columns.back().thing = true;
  document.blocks.emplace_back(std::move(wide));
  left.Leave(only, 0, report::ToJson(document));
  study::RowSource source;
  source.file = "proxy.json";
  source.table = "ratios";
  const auto collected = CollectRows(left.stored.Set(), source, left.scratch.Path());
  EXPECT_EQ(collected.files, 1u);
  EXPECT_TRUE(collected.problems.empty());
}

TEST(CollectPlots, TakesTheBlocksOfTheSelectedCases) {
  LeftDocuments left;
  const auto gcc = left.stored.AddCase({{"compiler", "gcc"}});
  const auto clang = left.stored.AddCase({{"compiler", "clang"}});
  left.Leave(gcc, 0, LeftDocuments::Document());
  left.Leave(clang, 0, LeftDocuments::Document());
  left.Leave(clang, 1, "{");
  study::RowSource source;
  source.file = "proxy.json";
  const std::vector<std::string> ids = {"none", "ratios"};
  EXPECT_EQ(CollectPlots(left.stored.Set(), source, ids, left.scratch.Path()).plots.size(), 2u);
  source.where = {{"compiler", {"clang"}}};
  const auto collected = CollectPlots(left.stored.Set(), source, ids, left.scratch.Path());
  ASSERT_EQ(collected.plots.size(), 1u);
  EXPECT_EQ(collected.files, 1u);
  EXPECT_EQ(collected.plots[0].levels.back(), "clang");
  EXPECT_EQ(std::get<report::Table>(collected.plots[0].block).id, "ratios");
  EXPECT_EQ(collected.problems.size(), 1u);
}

TEST(CollectRows, WithoutAFileEachCaseIsARow) {
  StoredRuns stored({"load"}, "");
  for (int busy = 0; busy < 3; ++busy) {
    const auto index = stored.AddCase({{"busy", std::to_string(busy)}});
    for (std::int64_t r = 0; r < 3; ++r) {
      stored.AddRun(index, r, {Number(2.0 * busy + 0.1 * static_cast<double>(r))});
    }
  }
  const auto collected = CollectRows(stored.Set(), {}, "/nonexistent");
  ASSERT_EQ(collected.table.rows.size(), 3u);
  EXPECT_DOUBLE_EQ(AsDouble(*NumberOf(collected.table, collected.table.rows[1], "load")), 2.1);
  const auto fits = FitRows(collected.table, {{}, "busy", "load", 0.95});
  EXPECT_NEAR(fits[0].slope.Value(), 2, 1e-12);
}

}  // namespace
}  // namespace tare::study_results
