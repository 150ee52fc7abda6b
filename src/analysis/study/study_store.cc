// study_store.cc: the schema, and how runs get into the database.
#include "analysis/study/study_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "base/file.h"
#include "base/printable.h"
#include "base/sha256.h"

namespace tare::study {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSchema = R"sql(
CREATE TABLE study(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE texts(id INTEGER PRIMARY KEY, since REAL NOT NULL, text TEXT NOT NULL);
CREATE TABLE cases(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, levels TEXT NOT NULL);
CREATE TABLE conditions(id INTEGER PRIMARY KEY, facts TEXT NOT NULL UNIQUE);
CREATE TABLE metrics(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, unit TEXT NOT NULL);
CREATE TABLE runs(id INTEGER PRIMARY KEY, case_id INTEGER NOT NULL REFERENCES cases(id),
  repetition INTEGER NOT NULL, attempt INTEGER NOT NULL, started REAL NOT NULL,
  state TEXT NOT NULL, exit_status INTEGER, signal INTEGER, seconds REAL NOT NULL,
  load REAL NOT NULL, node TEXT NOT NULL, conditions INTEGER NOT NULL REFERENCES conditions(id),
  message TEXT NOT NULL, UNIQUE(case_id, repetition));
CREATE TABLE results(run INTEGER NOT NULL, metric INTEGER NOT NULL, value NOT NULL,
  PRIMARY KEY(run, metric)) WITHOUT ROWID;
CREATE TABLE jobs(number INTEGER PRIMARY KEY, slurm_id TEXT NOT NULL, submitted REAL NOT NULL,
  tasks INTEGER NOT NULL);
)sql";

double SecondsNow() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string HostName() {
  char name[256] = "";
  if (::gethostname(name, sizeof name - 1) != 0) return "this host";
  return name;
}

std::string LevelsJson(const StudyCases& cases, const StudyCase& one) {
  ConditionFacts levels;
  for (std::size_t i = 0; i < cases.factors.size(); ++i) levels[cases.factors[i]] = one.levels[i];
  return FactsJson(levels);
}

Result<void> RequireSchema(SqliteConnection& connection, const fs::path& path) {
  TRY(auto version, connection.Prepare("PRAGMA user_version"));
  TRY_VOID(version.Step());
  const std::int64_t found = version.Whole(0);
  if (found == kSchemaVersion) return {};
  TRY(auto tables, connection.Prepare("SELECT count(*) FROM sqlite_master"));
  TRY_VOID(tables.Step());
  if (found == 0 && tables.Whole(0) == 0) {
    return Fail(ErrorKind::kFormat,
                fmt::format("{} is empty: no run was stored; tare study run begins the study",
                            Printable(path.string())));
  }
  return Fail(ErrorKind::kFormat,
              fmt::format("{} has version {}, this tare reads and writes version {}; use another "
                          "--results directory, or the tare that wrote it",
                          Printable(path.string()), found, kSchemaVersion));
}

}  // namespace

fs::path ResultsDirectory(const fs::path& study_file, const std::string& given) {
  if (!given.empty()) return given;
  fs::path results = study_file;
  return results.replace_extension(".results");
}

fs::path ResultsOf(const fs::path& operand, const std::string& given) {
  std::error_code ignored;
  if (given.empty() && fs::is_directory(operand, ignored)) return operand;
  return ResultsDirectory(operand, given);
}

Result<ResultsLock> ResultsLock::Take(const fs::path& results) {
  std::error_code error;
  fs::create_directories(results, error);
  if (error) return std::unexpected(SystemError("create", results, error.value()));
  const fs::path path = results / "lock";
  auto file = Descriptor::AboveStandard(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  if (!file.IsOpen()) return std::unexpected(SystemError("open", path, errno));
  if (::flock(file.Number(), LOCK_EX | LOCK_NB) != 0) {
    const auto who = ReadFile(path, 1000).value_or("another process");
    return Fail(ErrorKind::kUsage,
                fmt::format("this study is being run by {}; wait for it, or stop it: finished runs "
                            "are kept",
                            Printable(who)));
  }
  const std::string who = fmt::format("process {} on {}", ::getpid(), HostName());
  // The text only serves the message above.
  const bool written =
      ::ftruncate(file.Number(), 0) == 0 && ::pwrite(file.Number(), who.data(), who.size(), 0) >= 0;
  static_cast<void>(written);
  return ResultsLock(std::move(file));
}

std::optional<std::string> RunnerOf(const fs::path& results) {
  const fs::path path = results / "lock";
  const auto file = Descriptor::AboveStandard(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.IsOpen()) return std::nullopt;
  if (::flock(file.Number(), LOCK_SH | LOCK_NB) == 0) return std::nullopt;
  return Printable(ReadFile(path, 1000).value_or("another process"));
}

Result<StudyStore> StudyStore::OpenToRun(const fs::path& results, const Study& study,
                                         const StudyCases& cases) {
  const fs::path path = results / kDatabaseName;
  TRY(auto connection, SqliteConnection::Open(path, SqliteConnection::Mode::kCreate));
  TRY_VOID(connection.Execute("PRAGMA journal_mode = WAL"));
  TRY_VOID(connection.Execute("PRAGMA synchronous = FULL"));
  StudyStore store(std::move(connection));
  bool is_new = false;
  {
    TRY(auto tables, store.connection_.Prepare("SELECT count(*) FROM sqlite_master"));
    TRY_VOID(tables.Step());
    is_new = tables.Whole(0) == 0;
  }
  if (is_new) TRY_VOID(store.CreateSchema(study));
  TRY_VOID(RequireSchema(store.connection_, path));
  TRY_VOID(store.RememberCases(study, cases));
  TRY_VOID(store.PrepareInserts());
  return store;
}

Result<StudyStore> StudyStore::OpenToRead(const fs::path& results) {
  const fs::path path = results / kDatabaseName;
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    return Fail(ErrorKind::kIo, fmt::format("there are no results in {}; tare study run makes them",
                                            Printable(results.string())));
  }
  TRY(auto connection, SqliteConnection::Open(path, SqliteConnection::Mode::kRead));
  TRY_VOID(RequireSchema(connection, path));
  return StudyStore(std::move(connection));
}

Result<void> StudyStore::CreateSchema(const Study& study) {
  TRY(auto transaction, SqliteTransaction::Begin(connection_));
  TRY_VOID(connection_.Execute(kSchema));
  TRY_VOID(connection_.Execute(fmt::format("PRAGMA user_version = {}", kSchemaVersion)));
  TRY(auto insert, connection_.Prepare("INSERT INTO study VALUES(?, ?)"));
  const std::string identification =
      Sha256Of(fmt::format("{} {} {}", SecondsNow(), ::getpid(), study.directory.string()))
          .substr(0, 12);
  TRY_VOID(insert.Bind(1, std::string_view("identification")).Bind(2, identification).Run());
  TRY_VOID(insert.Bind(1, std::string_view("name")).Bind(2, study.name).Run());
  return transaction.Commit();
}

Result<void> StudyStore::RememberCases(const Study& study, const StudyCases& cases) {
  TRY(auto transaction, SqliteTransaction::Begin(connection_));
  {
    TRY(auto last, connection_.Prepare("SELECT text FROM texts ORDER BY id DESC LIMIT 1"));
    TRY(const bool has_text, last.Step());
    if (!has_text || last.Text(0) != study.text) {
      last.Reset();
      TRY(auto insert, connection_.Prepare("INSERT INTO texts(since, text) VALUES(?, ?)"));
      TRY_VOID(insert.Bind(1, SecondsNow()).Bind(2, study.text).Run());
    }
  }
  {
    TRY(auto place, connection_.Prepare("INSERT OR REPLACE INTO study VALUES('directory', ?)"));
    TRY_VOID(place.Bind(1, study.directory.string()).Run());
  }
  {
    TRY(auto insert,
        connection_.Prepare("INSERT INTO cases(key, levels) VALUES(?, ?) ON CONFLICT DO NOTHING"));
    for (const StudyCase& one : cases.cases) {
      TRY_VOID(insert.Bind(1, one.key).Bind(2, LevelsJson(cases, one)).Run());
    }
  }
  {
    TRY(auto all, connection_.Prepare("SELECT key, id FROM cases"));
    while (true) {
      TRY(const bool more, all.Step());
      if (!more) break;
      case_ids_[all.Text(0)] = all.Whole(1);
    }
  }
  return transaction.Commit();
}

Result<void> StudyStore::PrepareInserts() {
  TRY(insert_run_,
      connection_.Prepare("INSERT INTO runs(case_id, repetition, attempt, started, state, "
                          "exit_status, signal, seconds, load, node, conditions, message) VALUES"
                          "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING "
                          "RETURNING id"));
  TRY(insert_value_, connection_.Prepare("INSERT OR REPLACE INTO results VALUES(?, ?, ?)"));
  return {};
}

Result<std::int64_t> StudyStore::Intern(const std::string& table, const std::string& column,
                                        const std::string& text,
                                        std::map<std::string, std::int64_t>& known) {
  if (const auto found = known.find(text); found != known.end()) return found->second;
  TRY(auto insert, connection_.Prepare(fmt::format(
                       "INSERT INTO {}({}) VALUES(?) ON CONFLICT DO NOTHING", table, column)));
  TRY_VOID(insert.Bind(1, text).Run());
  TRY(auto select,
      connection_.Prepare(fmt::format("SELECT id FROM {} WHERE {} = ?", table, column)));
  TRY_VOID(select.Bind(1, text).Step());
  return known[text] = select.Whole(0);
}

Result<std::int64_t> StudyStore::MetricId(const MetricValue& value) {
  const auto found = metric_ids_.find(value.metric);
  if (found != metric_ids_.end()) return found->second;
  TRY(auto insert,
      connection_.Prepare("INSERT INTO metrics(name, unit) VALUES(?, ?) ON CONFLICT DO NOTHING"));
  TRY_VOID(insert.Bind(1, value.metric).Bind(2, value.unit).Run());
  TRY(auto select, connection_.Prepare("SELECT id FROM metrics WHERE name = ?"));
  TRY_VOID(select.Bind(1, value.metric).Step());
  return metric_ids_[value.metric] = select.Whole(0);
}

Result<bool> StudyStore::Add(const RunRecord& record) {
  const auto id = case_ids_.find(record.key);
  if (id == case_ids_.end()) {
    return Fail(ErrorKind::kFormat,
                fmt::format("a result is of the unknown case {}", Printable(record.key)));
  }
  TRY(auto transaction, SqliteTransaction::Begin(connection_));
  TRY(const std::int64_t conditions,
      Intern("conditions", "facts", FactsJson(record.conditions), condition_ids_));
  SqliteStatement& run = *insert_run_;
  run.Bind(1, id->second).Bind(2, record.repetition).Bind(3, record.attempt);
  run.Bind(4, record.started).Bind(5, Name(record.state));
  record.exit_status ? run.Bind(6, std::int64_t{*record.exit_status}) : run.BindNull(6);
  record.signal ? run.Bind(7, std::int64_t{*record.signal}) : run.BindNull(7);
  run.Bind(8, record.seconds).Bind(9, record.load).Bind(10, record.node);
  run.Bind(11, conditions).Bind(12, record.message);
  TRY(const bool is_new, run.Step());
  const std::int64_t run_id = is_new ? run.Whole(0) : 0;
  run.Reset();
  if (!is_new) return false;
  for (const MetricValue& value : record.values) {
    TRY(const std::int64_t metric, MetricId(value));
    SqliteStatement& insert = *insert_value_;
    insert.Bind(1, run_id).Bind(2, metric);
    std::visit([&](auto number) { insert.Bind(3, number); }, value.value);
    TRY_VOID(insert.Run());
  }
  if (auto committed = transaction.Commit(); !committed) {
    // The identifications of this transaction are gone with it.
    condition_ids_.clear();
    metric_ids_.clear();
    return std::unexpected(committed.error());
  }
  return true;
}

Result<std::vector<StudyStore::BriefRun>> StudyStore::RunsOf(const std::vector<std::string>& keys,
                                                             const std::string& metric) const {
  std::map<std::string, std::size_t> indices;
  for (std::size_t i = 0; i < keys.size(); ++i) indices[keys[i]] = i;
  std::map<std::int64_t, std::size_t> by_id;
  TRY(auto all, connection_.Prepare("SELECT id, key FROM cases"));
  while (true) {
    TRY(const bool more, all.Step());
    if (!more) break;
    const auto found = indices.find(all.Text(1));
    if (found != indices.end()) by_id[all.Whole(0)] = found->second;
  }
  std::int64_t metric_id = -1;
  TRY(auto metrics, connection_.Prepare("SELECT id FROM metrics WHERE name = ?"));
  TRY(const bool has_metric, metrics.Bind(1, metric).Step());
  if (has_metric) metric_id = metrics.Whole(0);
  std::vector<BriefRun> runs;
  TRY(auto select,
      connection_.Prepare(
          metric_id < 0 ? "SELECT case_id, repetition, state, seconds, NULL FROM runs ORDER BY id"
                        : "SELECT case_id, repetition, state, seconds, value FROM runs LEFT "
                          "JOIN results ON run = id AND metric = ? ORDER BY id"));
  if (metric_id >= 0) select.Bind(1, metric_id);
  while (true) {
    TRY(const bool more, select.Step());
    if (!more) return runs;
    const auto found = by_id.find(select.Whole(0));
    if (found == by_id.end()) continue;
    BriefRun run{found->second, select.Whole(1), select.Text(2) == Name(RunState::kOk),
                 select.Real(3), std::nullopt};
    if (!select.IsNull(4)) run.value = select.Real(4);
    runs.push_back(run);
  }
}

Result<std::vector<SlurmJob>> StudyStore::Jobs() const {
  TRY(auto select,
      connection_.Prepare("SELECT number, slurm_id, submitted, tasks FROM jobs ORDER BY number"));
  std::vector<SlurmJob> jobs;
  while (true) {
    TRY(const bool more, select.Step());
    if (!more) return jobs;
    jobs.push_back({select.Whole(0), select.Text(1), select.Real(2), select.Whole(3)});
  }
}

Result<std::int64_t> StudyStore::AddJob(std::int64_t tasks, double now) {
  TRY(auto insert,
      connection_.Prepare("INSERT INTO jobs(slurm_id, submitted, tasks) VALUES('', ?, ?)"));
  TRY_VOID(insert.Bind(1, now).Bind(2, tasks).Run());
  return connection_.LastRow();
}

Result<void> StudyStore::SetJobId(std::int64_t number, const std::string& slurm_id) {
  TRY(auto update, connection_.Prepare("UPDATE jobs SET slurm_id = ? WHERE number = ?"));
  return update.Bind(1, slurm_id).Bind(2, number).Run();
}

Result<void> StudyStore::RemoveJob(std::int64_t number) {
  TRY(auto remove, connection_.Prepare("DELETE FROM jobs WHERE number = ?"));
  return remove.Bind(1, number).Run();
}

Result<std::string> StudyStore::Identification() const {
  TRY(auto select, connection_.Prepare("SELECT value FROM study WHERE key = 'identification'"));
  TRY_VOID(select.Step());
  return select.Text(0);
}

}  // namespace tare::study
