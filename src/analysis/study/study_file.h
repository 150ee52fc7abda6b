// study_file.h: the TOML file that declares a study.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/metric_expression.h"
#include "base/result.h"
#include "measure/run/setting.h"

namespace tare::study {

inline constexpr std::uint64_t kStudyFormat = 1;
inline constexpr std::size_t kMaxCases = 100'000;

// A way in which a program is built.
struct StudyVariant {
  std::string name;
  std::string flags;  // for the build command; may be empty
};

struct StudyProgram {
  std::string name;
  std::vector<std::string> words;  // with {NAME} for what is replaced
  std::string input;               // standard input; empty: nothing
  std::vector<run::Variable> environment;
  std::string directory;  // empty: that of the study file
  std::set<int> exit_statuses = {0};
  std::string prepare;  // shell command before each run; empty: none
  std::vector<StudyVariant> variants;
  std::string build;                 // shell command that makes a variant; empty: none
  std::vector<std::string> engines;  // some of the study's; empty: all
  // Parameters of which it has only some levels.
  std::map<std::string, std::vector<std::string>> levels;
};

struct StudyInput {
  std::string name;
  std::string text;     // what {input} is replaced by
  bool is_file = true;  // `text` is an absolute path
};

// What is varied: a parameter, a setting or a variable of the environment.
struct StudyFactor {
  enum class Kind { kParameter, kSetting, kVariable };
  std::string name;
  Kind kind = Kind::kParameter;
  std::vector<std::string> levels;
};

struct StudyEngine {
  std::string name;  // "time" or the name of an engine
  std::size_t runs = 0;
  std::string machine;
  std::optional<double> timeout_seconds;
};

// A number in the output of a program, or one computed from other metrics of the same run.
struct OutputMetric {
  enum class From { kPattern, kJson, kTable, kExpression };
  std::string name;
  std::string unit;
  From from = From::kPattern;
  std::string pattern;  // or the JSON pointer
  std::optional<MetricExpression> expression;
  std::string table;
  std::string column;
  std::string where_column;  // empty: the first row
  std::string where_text;
  std::vector<std::string> programs;  // empty: all
};

struct PrecisionRule {
  std::string metric = "wall";
  double relative_width = 0;
  std::size_t max_runs = 100;
};

// Levels of factors.
using Levels = std::map<std::string, std::string>;

// A metric of the cases with these levels.
struct SelectedMetric {
  std::string metric;
  Levels levels;
};

// A column that is computed from others.
struct DerivedColumn {
  std::string name;
  MetricExpression expression;
};

// Where the rows of an analysis come from: a table of the Documents that runs left in {files}, or
// the medians of all cases.
struct RowSource {
  std::string file;  // in {files}; empty: medians of cases
  std::string table;
  std::map<std::string, std::vector<std::string>> where;  // texts that a column may have
  std::vector<DerivedColumn> derived;
};

struct PlotMark {
  std::string label;
  double at = 0;
};

// What the analysis `plot` shows of rows, or which plots of Documents it takes as they are.
struct PlotRequest {
  std::string id = "plot";
  std::string title;
  std::vector<std::string> of_documents;  // ids of plots; empty: of rows
  std::string lines;                      // its texts are lines, or colours of dots
  std::string each;                       // a plot for each of its texts
  std::vector<PlotMark> marks;
  bool log_x = false;
  bool log_y = false;
  bool points = false;  // not joined by lines
};

struct AnalysisRequest {
  enum class Kind {
    kGroups,
    kCompare,
    kProxy,
    kPerturb,
    kPredict,
    kMachines,
    kDeviations,
    kTables,
    kSummary,
    kFit,
    kPlot
  };
  Kind kind = Kind::kGroups;
  std::string of;
  std::string baseline;
  std::optional<std::vector<std::string>> by;
  std::vector<std::string> metrics;  // empty: those of the study
  double detect = 0.01;
  double tolerance = 0.1;
  SelectedMetric predicted;
  SelectedMetric measured;
  std::vector<std::string> excluded;  // levels of `of` that are shown, but not in the mean
  RowSource rows;
  std::vector<std::string> columns;  // tables: to show; summary: numbers
  std::string across;                // tables: its texts become columns
  std::string count;                 // summary: its texts are counted
  std::string x;                     // fit, plot
  std::string y;
  std::string leave_out;                // fit: a column; each text is left out in turn
  std::vector<DerivedColumn> relative;  // tables: computed from the columns that `across` makes
  std::string lines;                    // deviations: factor whose levels share the rows of a plot
  PlotRequest plot;
};
std::string_view Name(AnalysisRequest::Kind kind);

struct ExecutorPlan {
  enum class Kind { kLocal, kSlurm };
  Kind kind = Kind::kLocal;
  bool exclusive = true;
  std::size_t runs_at_once = 1;  // local
  std::vector<std::string> nodes;
  std::string partition;
  std::optional<double> time_limit_seconds;
  std::vector<std::string> options;
  std::size_t batch = 10;
  std::size_t tasks_at_once = 50;
  std::size_t tasks_per_job = 500;
  std::size_t jobs_at_once = 2;
  std::size_t retries = 3;
};

struct Study {
  std::filesystem::path path;       // of the file
  std::filesystem::path directory;  // absolute; paths in the file are relative to it
  std::string text;                 // of the file
  std::string name;
  std::string description;
  std::string setup;  // shell command before the first run; empty: none
  std::uint64_t seed = 1;
  std::vector<StudyEngine> engines;
  std::vector<std::string> metrics;  // empty: the main ones
  std::size_t runs = 10;
  std::size_t warm_up_runs = 0;
  std::optional<double> timeout_seconds;
  std::size_t max_failures = 3;
  std::optional<double> budget_seconds;
  double confidence = 0.95;
  std::optional<PrecisionRule> precision;
  std::vector<StudyProgram> programs;
  std::vector<StudyInput> inputs;
  std::vector<StudyFactor> factors;
  std::size_t layouts = 0;  // 0: not varied
  std::vector<Levels> excluded;
  std::vector<OutputMetric> output_metrics;
  std::vector<AnalysisRequest> analyses;
  std::string report_title;
  std::string report_text;
  ExecutorPlan executor;
};

// docs/formats/study.md documents the file. Errors are kFormat and start with "PATH:LINE:COLUMN: ".
// `directory` is that of the file, absolute.
Result<Study> ParseStudy(std::string_view text, const std::filesystem::path& path,
                         const std::filesystem::path& directory);

Result<Study> ReadStudy(const std::filesystem::path& path);

// "2%" as 0.02; nothing unless it is above 0 and below 100.
std::optional<double> ParsePercent(std::string_view text);

}  // namespace tare::study
