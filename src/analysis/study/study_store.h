// study_store.h: the results of a study, in an SQLite database.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/study/run_record.h"
#include "analysis/study/sqlite_connection.h"
#include "analysis/study/study_cases.h"
#include "analysis/study/study_file.h"
#include "base/descriptor.h"
#include "base/result.h"

namespace tare::study {

inline constexpr std::int64_t kSchemaVersion = 1;

// NAME.results next to NAME.toml, unless `given` names a directory.
std::filesystem::path ResultsDirectory(const std::filesystem::path& study_file,
                                       const std::string& given);
// The same for an operand that may be a study file or a directory of results.
std::filesystem::path ResultsOf(const std::filesystem::path& operand, const std::string& given);

// Held by the process that runs a study.
class ResultsLock {
 public:
  // Creates the directory. kUsage if another process holds the lock; the message names it.
  static Result<ResultsLock> Take(const std::filesystem::path& results);

 private:
  explicit ResultsLock(Descriptor file) : file_(std::move(file)) {}
  Descriptor file_;
};

// The process that runs the study now: "process 12 on host"; nothing if there is none.
std::optional<std::string> RunnerOf(const std::filesystem::path& results);

struct StoredCase {
  std::int64_t id = 0;
  std::string key;
  Levels levels;
};

struct StoredMetric {
  std::string name;
  std::string unit;
};

struct LoadedRun {
  std::int64_t id = 0;
  std::size_t case_index = 0;  // into StoredStudy::cases
  std::int64_t repetition = 0;
  std::int64_t attempt = 1;
  double started = 0;
  RunState state = RunState::kOk;
  std::optional<int> exit_status;
  std::optional<int> signal;
  double seconds = 0;
  double load = 0;
  std::size_t node = 0;        // into StoredStudy::nodes
  std::size_t conditions = 0;  // into StoredStudy::conditions
  std::string message;
  std::vector<std::optional<Number>> values;  // by metric; may be shorter
};

// Everything in the database.
struct StoredStudy {
  std::string name;
  std::string text;       // of the study file at the last run
  std::string directory;  // of the study file, then
  std::vector<StoredCase> cases;
  std::vector<StoredMetric> metrics;
  std::vector<ConditionFacts> conditions;
  std::vector<std::string> nodes;
  std::vector<LoadedRun> runs;      // in the order in which they were stored
  std::size_t unreadable_runs = 0;  // of a damaged database; a lower bound
  bool damaged = false;
};

struct SlurmJob {
  std::int64_t number = 0;  // of the directory jobs/NUMBER
  std::string slurm_id;     // empty: sbatch has not returned
  double submitted = 0;
  std::int64_t tasks = 0;
};

class StudyStore {
 public:
  // Creates the database if there is none. The caller holds the lock.
  static Result<StudyStore> OpenToRun(const std::filesystem::path& results, const Study& study,
                                      const StudyCases& cases);
  // kNotFound if there are no results.
  static Result<StudyStore> OpenToRead(const std::filesystem::path& results);

  // One transaction. A run that is already stored is left as it is: false.
  Result<bool> Add(const RunRecord& record);

  // `visit` gets every run of the cases with these keys.
  struct BriefRun {
    std::size_t index;  // into the keys
    std::int64_t repetition;
    bool succeeded;
    double seconds;
    std::optional<double> value;  // of the metric
  };
  Result<std::vector<BriefRun>> RunsOf(const std::vector<std::string>& keys,
                                       const std::string& metric) const;

  // The name, text and directory of the study file alone.
  Result<StoredStudy> LoadStudyFile() const;

  struct LoadOptions {
    bool salvage = false;  // skip what cannot be read
    bool values = true;    // of the metrics
  };
  Result<StoredStudy> Load(const LoadOptions& options) const;

  Result<std::vector<SlurmJob>> Jobs() const;
  Result<std::int64_t> AddJob(std::int64_t tasks, double now);
  Result<void> SetJobId(std::int64_t number, const std::string& slurm_id);
  Result<void> RemoveJob(std::int64_t number);
  Result<std::string> Identification() const;

 private:
  explicit StudyStore(SqliteConnection connection) : connection_(std::move(connection)) {}

  Result<void> CreateSchema(const Study& study);
  Result<void> RememberCases(const Study& study, const StudyCases& cases);
  Result<void> PrepareInserts();
  Result<std::int64_t> Intern(const std::string& table, const std::string& column,
                              const std::string& text, std::map<std::string, std::int64_t>& known);
  Result<std::int64_t> MetricId(const MetricValue& value);

  SqliteConnection connection_;
  std::map<std::string, std::int64_t> case_ids_;
  std::map<std::string, std::int64_t> condition_ids_;
  std::map<std::string, std::int64_t> metric_ids_;
  std::optional<SqliteStatement> insert_run_;
  std::optional<SqliteStatement> insert_value_;
};

// Everything in the database that can be read, for export. A database without a sound header or end
// is repaired in a private copy. kFormat if nothing can be read.
Result<StoredStudy> LoadWhatCanBeRead(const std::filesystem::path& results);

// The name of the database in the directory of results.
inline constexpr const char* kDatabaseName = "study.db";

}  // namespace tare::study
