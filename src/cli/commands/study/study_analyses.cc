// study_analyses.cc: the tables of a study's analyses.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/proxy/ratio_verdict.h"
#include "analysis/study/study_metrics.h"
#include "analysis/study_results/collected_table.h"
#include "analysis/study_results/group_summary.h"
#include "analysis/study_results/level_comparison.h"
#include "analysis/study_results/level_deviation.h"
#include "analysis/study_results/metric_correlation.h"
#include "analysis/study_results/node_deviation.h"
#include "analysis/study_results/prediction_error.h"
#include "base/near_match.h"
#include "base/printable.h"
#include "base/units.h"
#include "cli/commands/study/study_analysis_tables.h"
#include "cli/commands/study/study_plots.h"
#include "cli/commands/study/study_row_tables.h"
#include "cli/commands/study/study_sentences.h"
#include "cli/commands/study/study_tables.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

using study::AnalysisRequest;
using study_results::ResultSet;

class StudyAnalyses {
 public:
  StudyAnalyses(const OpenedStudy& opened, const ResultSet& set, bool with_plots,
                report::Document& document)
      : study_(opened.study),
        set_(set),
        results_(opened.results),
        with_plots_(with_plots),
        document_(document) {}

  // `first` begins the answer.
  void All(const std::string& first, bool all_metrics) {
    document_.blocks.emplace_back(report::Text{"answer", ""});
    const std::size_t answer = document_.blocks.size() - 1;
    if (!study_.report_text.empty()) {
      document_.blocks.emplace_back(report::Text{"text", study_.report_text});
    }
    std::vector<AnalysisRequest> requests = study_.analyses;
    if (requests.empty()) requests.emplace_back();
    for (const AnalysisRequest& request : requests) Add(request);
    if (all_metrics) {
      const auto by = set_.Factors();
      document_.blocks.emplace_back(GroupTable(set_, "results", by, Summaries(by, AllMetrics())));
    }
    if (answer_.empty()) {
      std::size_t runs = 0;
      for (const auto& one : set_.Cases()) runs += one.runs.size();
      answer_ =
          fmt::format("{} of {}.", Counted(runs, "run"), Counted(set_.Cases().size(), "case"));
    }
    if (said_.size() > kSentences)
      answer_ += fmt::format(" {} more in tables (-v).", said_.size() - kSentences);
    std::get<report::Text>(document_.blocks[answer]).text = first + answer_;
  }

 private:
  // An id that no block has.
  std::string NewId(const std::string& name) {
    std::string id = name;
    while (!ids_.try_emplace(id, 1).second) id = fmt::format("{}_{}", name, ++ids_[name]);
    return id;
  }

  std::vector<std::size_t> AllMetrics() const {
    std::vector<std::size_t> all(set_.Stored().metrics.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
  }

  // Those of the program, not what disturbed its runs.
  std::vector<std::size_t> ProgramMetrics() const {
    std::vector<std::size_t> metrics = AllMetrics();
    std::erase_if(metrics, [&](std::size_t metric) {
      return NameOf(metric) == study::kOtherPrograms || NameOf(metric) == study::kStolenTime;
    });
    return metrics;
  }

  // The metrics that are asked for and have values.
  std::vector<std::size_t> Metrics(const std::vector<std::string>& asked) {
    std::vector<std::string> names = asked.empty() ? study_.metrics : asked;
    if (names.empty()) {
      for (const study::OutputMetric& metric : study_.output_metrics) names.push_back(metric.name);
      if (names.empty()) names.emplace_back("wall");
      names.emplace_back("instructions");
    }
    std::vector<std::size_t> indices;
    for (const std::string& name : names) {
      const auto index = set_.MetricIndex(name);
      if (index && std::ranges::find(indices, *index) == indices.end()) indices.push_back(*index);
      if (!index && (!asked.empty() || !study_.metrics.empty())) Unknown(name);
    }
    return indices;
  }

  void Unknown(const std::string& name) {
    if (set_.Stored().metrics.empty() || !unknown_.insert(name).second) return;
    std::vector<std::string_view> known;
    for (const auto& metric : set_.Stored().metrics) known.push_back(metric.name);
    document_.blocks.emplace_back(report::Text{
        NewId("unknown"), fmt::format("No run has the metric '{}'{}.", Printable(name),
                                      Printable(DidYouMeanOrAll(name, known, "there are")))});
  }

  std::vector<std::string> By(const AnalysisRequest& request,
                              std::initializer_list<std::string_view> without) const {
    if (request.by) return *request.by;
    std::vector<std::string> by = set_.VaryingFactors();
    std::erase_if(by, [&](const std::string& factor) {
      return std::ranges::find(without, factor) != without.end();
    });
    return by;
  }

  const std::string& UnitOf(std::size_t metric) const { return set_.Stored().metrics[metric].unit; }
  const std::string& NameOf(std::size_t metric) const { return set_.Stored().metrics[metric].name; }

  void Add(const AnalysisRequest& request) {
    switch (request.kind) {
      case AnalysisRequest::Kind::kGroups:
        return AddGroups(request);
      case AnalysisRequest::Kind::kCompare:
      case AnalysisRequest::Kind::kProxy:
        return AddComparison(request);
      case AnalysisRequest::Kind::kPerturb:
        return AddCorrelations(request);
      case AnalysisRequest::Kind::kPredict:
        return AddPredictions(request);
      case AnalysisRequest::Kind::kMachines:
        return AddNodes(request);
      case AnalysisRequest::Kind::kDeviations:
        return AddDeviations(request);
      case AnalysisRequest::Kind::kTables:
      case AnalysisRequest::Kind::kSummary:
      case AnalysisRequest::Kind::kFit:
        return AddRows(request);
      case AnalysisRequest::Kind::kPlot:
        return request.plot.of_documents.empty() ? AddRows(request) : AddDocumentPlots(request);
    }
  }

  // Ids that several analyses ask for are numbered.
  void AddPlots(std::vector<report::Block> plots) {
    for (report::Block& plot : plots) {
      std::visit([&](auto& part) { part.id = NewId(part.id); }, plot);
      document_.blocks.push_back(std::move(plot));
    }
  }

  // The rows of a table as dots.
  void AddDots(const report::Table& table, const PlottedColumns& columns) {
    if (with_plots_) AddPlots(SeveralDots(table, columns));
  }

  void AddDocumentPlots(const AnalysisRequest& request) {
    const auto collected =
        study_results::CollectPlots(set_, request.rows, request.plot.of_documents, results_);
    SayProblems(collected.problems);
    if (collected.files == 0) {
      return Say(fmt::format("No run left a file {} with a plot {} yet.",
                             Printable(request.rows.file),
                             Printable(request.plot.of_documents.front())));
    }
    AddPlots(PlotsOfDocuments(collected, set_.Factors(), request));
  }

  void SayProblems(const std::vector<std::string>& problems) {
    for (const std::string& problem : problems) {
      document_.blocks.emplace_back(
          report::Text{NewId("unreadable"), fmt::format("Left out: {}.", problem)});
    }
  }

  std::vector<study_results::GroupSummary> Summaries(
      const std::vector<std::string>& by, const std::vector<std::size_t>& metrics) const {
    return study_results::SummarizeGroups(set_, by, metrics, study_.confidence);
  }

  void AddGroups(const AnalysisRequest& request) {
    const auto by = By(request, {});
    const auto groups = Summaries(by, Metrics(request.metrics));
    AnswerGroups(by, groups);
    const report::Table table = GroupTable(set_, NewId("groups"), by, groups);
    document_.blocks.emplace_back(table);
    AddDots(table, {"groups_plot", table.title, WithMetric(by, table), "", "", "median"});
  }

  // The columns that name a row: metrics only if there are several.
  static std::vector<std::string> WithMetric(std::vector<std::string> names,
                                             const report::Table& table) {
    const std::vector<std::string> metric = {"metric"};
    if (study_results::GroupRows(table, metric).size() > 1) names.emplace_back("metric");
    return names;
  }

  // The groups with the lowest and the highest median of the first metric, unless an analysis says
  // more.
  void AnswerGroups(const std::vector<std::string>& by,
                    const std::vector<study_results::GroupSummary>& groups) {
    std::vector<const study_results::GroupSummary*> shown;
    for (const auto& group : groups) {
      if (group.metric == groups.front().metric && group.centre.value) shown.push_back(&group);
    }
    if (shown.empty() || !answer_.empty()) return;
    const auto [low, high] =
        std::ranges::minmax_element(shown, {}, [](const auto* one) { return one->centre.Value(); });
    const std::string metric = Printable(NameOf(groups.front().metric));
    if (shown.size() == 1 || (*low)->centre.Value() == (*high)->centre.Value()) {
      return Say(
          fmt::format("The median {} is {}{}.", metric, Shown(**low),
                      shown.size() == 1 ? "" : fmt::format(" in all {} groups", shown.size())));
    }
    const bool overlap = (*low)->centre.HasInterval() && (*high)->centre.HasInterval() &&
                         (*low)->centre.High() >= (*high)->centre.Low();
    Say(fmt::format("The median {} is between {} ({}) and {} ({}){}.", metric, Shown(**low),
                    PlaceInWords(by, (*low)->levels), Shown(**high),
                    PlaceInWords(by, (*high)->levels), overlap ? ", whose intervals overlap" : ""));
  }

  std::string Shown(const study_results::GroupSummary& group) const {
    const auto unit = ReadableUnit(group.centre.Value(), UnitOf(group.metric));
    const auto figure = report::ShowMeasured(group.centre, unit.factor);
    return fmt::format("{}{}{}{}{}", figure.value, unit.symbol.empty() ? "" : " ", unit.symbol,
                       figure.interval.empty() ? "" : " ", figure.interval);
  }

  void AddComparison(const AnalysisRequest& request) {
    const bool proxy = request.kind == AnalysisRequest::Kind::kProxy;
    study_results::ComparisonRequest wanted;
    wanted.of = request.of;
    wanted.baseline = request.baseline;
    wanted.by = By(request, {request.of, "layout"});
    wanted.metrics = request.metrics.empty() && proxy ? ProgramMetrics() : Metrics(request.metrics);
    wanted.detect = request.detect;
    wanted.confidence = study_.confidence;
    const auto rows = study_results::CompareLevels(set_, wanted);
    report::Table table = LevelRatioTable(set_, request, wanted.by, rows);
    table.id = NewId(proxy ? "proxy" : "comparison");
    if (proxy) {
      AnswerProxy(request, rows);
    } else {
      AnswerComparison(request, wanted.by, rows);
    }
    document_.blocks.emplace_back(table);
    PlottedColumns columns{proxy ? "proxy_plot" : "comparison_plot",
                           table.title,
                           WithMetric(wanted.by, table),
                           request.of,
                           "",
                           "ratio"};
    columns.marks = {{1, "the same"}};
    if (proxy) {
      const std::string percent = Rounded(100 * request.tolerance, 3);
      columns.marks = {{1 - request.tolerance, fmt::format("-{} %", percent)},
                       {1 + request.tolerance, fmt::format("+{} %", percent)}};
    }
    AddDots(table, columns);
  }

  // Once: several analyses may lack the same table.
  void Say(const std::string& sentence) {
    if (!said_.insert(sentence).second) return;
    if (said_.size() > kSentences) return;
    if (!answer_.empty()) answer_ += ' ';
    answer_ += sentence;
  }

  void AnswerComparison(const AnalysisRequest& request, const std::vector<std::string>& by,
                        const std::vector<study_results::LevelRatio>& rows) {
    if (rows.empty()) {
      return Say(fmt::format("Nothing can be compared with {} {} yet.", request.of,
                             Printable(request.baseline)));
    }
    constexpr std::size_t kMaxStated = 3;
    if (rows.size() <= kMaxStated) {
      for (const auto& one : rows) Say(ComparisonSentence(one, NamesOf(request, by, one)));
      return;
    }
    std::map<std::string, std::size_t> answers;
    for (const auto& one : rows) ++answers[StudyAnswer(one.answer, UnitOf(one.metric))];
    std::vector<std::string> parts;
    for (const auto& [answer, count] : answers)
      parts.push_back(fmt::format("{} {}", count, answer));
    Say(fmt::format("Of {} comparisons with {} {}: {}{}.", rows.size(), request.of,
                    Printable(request.baseline), fmt::join(parts, ", "),
                    LargestDifference(request, by, rows)));
  }

  // "; the largest difference is 6.1 % more loads (level 1, program grep)"
  std::string LargestDifference(const AnalysisRequest& request, const std::vector<std::string>& by,
                                const std::vector<study_results::LevelRatio>& rows) const {
    const study_results::LevelRatio* largest = nullptr;
    const auto distance = [](const study_results::LevelRatio& one) {
      return std::abs(std::log(one.ratio.Value()));
    };
    for (const auto& one : rows) {
      const bool differs =
          one.answer == compare::Answer::kFaster || one.answer == compare::Answer::kSlower;
      if (!differs || !one.ratio.value || !(one.ratio.Value() > 0)) continue;
      if (largest == nullptr || distance(one) > distance(*largest)) largest = &one;
    }
    if (largest == nullptr) return "";
    return fmt::format("; the largest difference is {}",
                       DifferenceInWords(*largest, NamesOf(request, by, *largest)));
  }

  ComparedNames NamesOf(const AnalysisRequest& request, const std::vector<std::string>& by,
                        const study_results::LevelRatio& one) const {
    return {Printable(fmt::format("{} {}", request.of, one.level)),
            Printable(fmt::format("{} {}", request.of, request.baseline)), NameOf(one.metric),
            UnitOf(one.metric), PlaceInWords(by, one.levels)};
  }

  void AnswerProxy(const AnalysisRequest& request,
                   const std::vector<study_results::LevelRatio>& rows) {
    std::size_t valid = 0;
    std::size_t judged = 0;
    for (const auto& one : rows) {
      if (!one.ratio.value) continue;
      ++judged;
      valid += proxy::VerdictOf(one.ratio, request.tolerance) == Verdict::kValid ? 1u : 0u;
    }
    Say(fmt::format("{} of {} metrics represent {} {} within {} %.", valid, judged, request.of,
                    Printable(request.baseline), Rounded(100 * request.tolerance, 3)));
  }

  void AddCorrelations(const AnalysisRequest& request) {
    const auto metrics = request.metrics.empty() ? ProgramMetrics() : Metrics(request.metrics);
    const auto rows = study_results::CompareCorrelations(set_, request.of, request.baseline,
                                                         metrics, study_.confidence);
    report::Column of{request.of};
    of.thing = true;
    report::Table table{
        NewId("correlations"),
        fmt::format("Rank correlation of metrics over runs, against {} {}", request.of,
                    request.baseline),
        {of, {"metric"}, {"with"}, {"baseline"}, {"correlation"}, {"differs"}, {"runs", "runs"}},
        {}};
    std::size_t differing = 0;
    for (const auto& one : rows) {
      differing += one.differs ? 1u : 0u;
      table.rows.push_back({one.level, NameOf(one.first), NameOf(one.second), one.baseline,
                            one.correlation, std::string(one.differs ? "yes" : "no"),
                            Number(static_cast<std::int64_t>(one.runs))});
    }
    Say(fmt::format("{} of {} correlations of metrics differ from {} {}.", differing, rows.size(),
                    request.of, Printable(request.baseline)));
    document_.blocks.emplace_back(std::move(table));
  }

  void AddPredictions(const AnalysisRequest& request) {
    std::vector<std::string> by = By(request, {});
    if (!request.by) {
      std::erase_if(by, [&](const std::string& factor) {
        return request.predicted.levels.contains(factor) ||
               request.measured.levels.contains(factor);
      });
    }
    const auto errors = study_results::ComparePredictions(set_, request.predicted, request.measured,
                                                          by, study_.confidence);
    const std::string what = fmt::format("{} against {}", SelectedText(request.predicted),
                                         SelectedText(request.measured));
    report::Table table{NewId("prediction"), what, FactorColumns(by, by), {}};
    table.columns.insert(table.columns.end(),
                         {{"predicted"}, {"measured"}, report::Kept({"error", "%"})});
    const auto metric = set_.MetricIndex(request.measured.metric);
    const std::string unit = metric ? UnitOf(*metric) : "";
    for (const auto& one : errors.rows) {
      std::vector<report::Cell> row;
      for (const std::string& level : one.levels) row.emplace_back(level);
      row.emplace_back(WithUnit(unit, one.predicted));
      row.emplace_back(WithUnit(unit, one.measured));
      row.emplace_back(Scaled(one.error, 100));
      table.rows.push_back(std::move(row));
    }
    Say(errors.median_error
            ? fmt::format("The median error of {}{} is {} %, the largest {} %.",
                          Counted(errors.rows.size(), "prediction"),
                          request.predicted.levels.empty() ? "" : fmt::format(" ({})", what),
                          Rounded(100 * *errors.median_error, 3),
                          Rounded(100 * *errors.max_error, 3))
            : "There is no prediction with a measurement yet.");
    document_.blocks.emplace_back(table);
    if (with_plots_) AddPlots(PredictionPlots(table, by));
  }

  void AddNodes(const AnalysisRequest& request) {
    std::vector<std::string> by = By(request, {"node"});
    std::erase(by, "node");
    const auto rows =
        study_results::CompareNodes(set_, by, Metrics(request.metrics), study_.confidence);
    if (!rows) return Say(fmt::format("Nodes: {}.", rows.error().message));
    report::Table table = NodeDeviationTable(set_, by, *rows);
    table.id = NewId("machines");
    Say(NodesSentences(set_, by, *rows));
    document_.blocks.emplace_back(std::move(table));
  }

  void AddDeviations(const AnalysisRequest& request) {
    const auto by = By(request, {request.of});
    for (const std::size_t metric : Metrics(request.metrics)) {
      const auto deviations =
          study_results::CompareDeviations(set_, {by, metric, request.excluded, study_.confidence,
                                                  study_results::LevelOfFactor(set_, request.of)});
      const DeviationNames names{request.of, by, NameOf(metric), UnitOf(metric)};
      if (!deviations) {
        Say(fmt::format("Deviations of {}: {}.", Printable(names.metric),
                        deviations.error().message));
        continue;
      }
      report::Table between = DeviationTable(*deviations, names);
      between.id = NewId("deviations");
      document_.blocks.emplace_back(std::move(between));
      report::Table within = DeviationWithinTable(*deviations, names);
      within.id = NewId("deviations_within");
      document_.blocks.emplace_back(std::move(within));
      Say(DeviationSentence(*deviations, names));
      if (with_plots_) AddPlots(DeviationPlots(*deviations, names, request.lines));
    }
  }

  void AddRows(const AnalysisRequest& request) {
    const auto collected = study_results::CollectRows(set_, request.rows, results_);
    SayProblems(collected.problems);
    const bool fits = request.kind == AnalysisRequest::Kind::kFit;
    std::vector<std::string> by = request.by || fits
                                      ? request.by.value_or(std::vector<std::string>())
                                      : set_.VaryingFactors();
    if (!request.by && !fits && study_results::HasColumn(collected.table, "run")) {
      by.emplace_back("run");
    }
    if (!request.rows.file.empty() && collected.files == 0) {
      return Say(fmt::format("No run left a file {} with the table {} yet.",
                             Printable(request.rows.file), Printable(request.rows.table)));
    }
    const std::string unknown = UnknownColumns(collected.table, request, by);
    if (!unknown.empty()) {
      document_.blocks.emplace_back(report::Text{NewId("unknown"), unknown});
      return;
    }
    if (collected.table.rows.empty() && collected.files > 0) {
      return Say(fmt::format("No row of {} in {} has what 'where' asks for.",
                             Printable(request.rows.table), Printable(request.rows.file)));
    }
    if (request.kind == AnalysisRequest::Kind::kPlot) {
      return AddPlots(PlotsOfRows(collected.table, request, by));
    }
    auto [table, sentence] = AnalyseRows(collected, request, by, study_.confidence);
    table.id = NewId(std::string(study::Name(request.kind)));
    document_.blocks.emplace_back(std::move(table));
    if (!sentence.empty()) Say(sentence);
    const std::string missing = UnknownInRelative(collected.table, request, by);
    if (!missing.empty()) document_.blocks.emplace_back(report::Text{NewId("unknown"), missing});
    if (fits && with_plots_) {
      AddPlots(FitPlots(collected.table, request, by, study_.confidence));
    }
  }

  const study::Study& study_;
  const ResultSet& set_;
  const std::filesystem::path& results_;
  const bool with_plots_;
  report::Document& document_;
  // The last number of each id; first the ids that Documents of studies always have.
  std::map<std::string, std::size_t> ids_ = {
      {"description", 1}, {"answer", 1}, {"text", 1}, {"results", 1}, {"progress", 1}};
  std::set<std::string> unknown_;
  std::set<std::string> said_;
  static constexpr std::size_t kSentences = 4;
  std::string answer_;
};

}  // namespace

void AddAnalyses(const OpenedStudy& opened, const study::RunSchedule& schedule,
                 const ResultSet& set, AnalysisExtent extent, report::Document& document) {
  StudyAnalyses(opened, set, extent.plots, document)
      .All(CasesWithoutResult(opened, schedule), extent.all_metrics);
  SeparateColumns(document);
}

}  // namespace tare::cli
