// study_store_load.cc: reads everything from the database, also from a damaged one.
#include <algorithm>
#include <utility>

#include "analysis/study/study_store.h"

namespace tare::study {
namespace {

constexpr const char* kRunColumns =
    "SELECT id, case_id, repetition, attempt, started, state, exit_status, signal, seconds, load, "
    "node, conditions, message FROM runs";

// Runs that one query reads. After a damage, the runs of the chunk are read one by one.
constexpr std::int64_t kChunk = 256;

class StudyLoader {
 public:
  StudyLoader(const SqliteConnection& connection, bool salvage)
      : connection_(connection), salvage_(salvage) {}

  Result<StoredStudy> FileAlone() {
    TRY_VOID(LoadTexts());
    return std::move(study_);
  }

  Result<StoredStudy> All(bool values) {
    TRY_VOID(Tolerate(LoadTexts()));
    TRY_VOID(Tolerate(LoadCases()));
    TRY_VOID(Tolerate(LoadMetrics()));
    TRY_VOID(Tolerate(LoadConditions()));
    TRY_VOID(LoadRuns());
    if (values) TRY_VOID(Tolerate(LoadValues()));
    return std::move(study_);
  }

 private:
  Result<void> Tolerate(Result<void> result) {
    if (result || !salvage_) return result;
    study_.damaged = true;
    return {};
  }

  template <typename Visit>
  Result<void> ForEachRow(const std::string& sql, Visit visit) {
    TRY(auto rows, connection_.Prepare(sql));
    while (true) {
      TRY(const bool more, rows.Step());
      if (!more) return {};
      visit(rows);
    }
  }

  Result<void> LoadTexts() {
    TRY_VOID(ForEachRow("SELECT value FROM study WHERE key = 'name'",
                        [&](const SqliteStatement& row) { study_.name = row.Text(0); }));
    TRY_VOID(ForEachRow("SELECT value FROM study WHERE key = 'directory'",
                        [&](const SqliteStatement& row) { study_.directory = row.Text(0); }));
    return ForEachRow("SELECT text FROM texts ORDER BY id DESC LIMIT 1",
                      [&](const SqliteStatement& row) { study_.text = row.Text(0); });
  }

  Result<void> LoadCases() {
    return ForEachRow(
        "SELECT id, key, levels FROM cases ORDER BY id", [&](const SqliteStatement& row) {
          AddCase(row.Whole(0), row.Text(1), ParseFacts(row.Text(2)).value_or(Levels{}));
        });
  }

  std::size_t AddCase(std::int64_t id, std::string key, Levels levels) {
    study_.cases.push_back({id, std::move(key), std::move(levels)});
    return case_indices_[id] = study_.cases.size() - 1;
  }

  Result<void> LoadMetrics() {
    return ForEachRow("SELECT id, name, unit FROM metrics ORDER BY id",
                      [&](const SqliteStatement& row) {
                        metric_indices_[row.Whole(0)] = study_.metrics.size();
                        study_.metrics.push_back({row.Text(1), row.Text(2)});
                      });
  }

  Result<void> LoadConditions() {
    return ForEachRow(
        "SELECT id, facts FROM conditions ORDER BY id", [&](const SqliteStatement& row) {
          condition_indices_[row.Whole(0)] = study_.conditions.size();
          study_.conditions.push_back(ParseFacts(row.Text(1)).value_or(ConditionFacts{}));
        });
  }

  void TakeRun(const SqliteStatement& row) {
    LoadedRun run;
    run.id = row.Whole(0);
    const auto known = case_indices_.find(row.Whole(1));
    run.case_index =
        known != case_indices_.end() ? known->second : AddCase(row.Whole(1), "", Levels{});
    run.repetition = row.Whole(2);
    run.attempt = row.Whole(3);
    run.started = row.Real(4);
    run.state = ParseRunState(row.Text(5)).value_or(RunState::kLost);
    if (!row.IsNull(6)) run.exit_status = static_cast<int>(row.Whole(6));
    if (!row.IsNull(7)) run.signal = static_cast<int>(row.Whole(7));
    run.seconds = row.Real(8);
    run.load = row.Real(9);
    run.node = NodeIndex(row.Text(10));
    const auto conditions = condition_indices_.find(row.Whole(11));
    if (conditions == condition_indices_.end()) {
      condition_indices_[row.Whole(11)] = study_.conditions.size();
      study_.conditions.emplace_back();
    }
    run.conditions = condition_indices_[row.Whole(11)];
    run.message = row.Text(12);
    study_.runs.push_back(std::move(run));
  }

  std::size_t NodeIndex(const std::string& node) {
    if (study_.nodes.empty() || study_.nodes[last_node_] != node) {
      const auto found = std::ranges::find(study_.nodes, node);
      last_node_ = static_cast<std::size_t>(found - study_.nodes.begin());
      if (found == study_.nodes.end()) study_.nodes.push_back(node);
    }
    return last_node_;
  }

  Result<void> LoadRuns() {
    const std::string all = std::string(kRunColumns) + " ORDER BY id";
    if (!salvage_) return ForEachRow(all, [&](const SqliteStatement& row) { TakeRun(row); });
    // Without the schema there is nothing to ask.
    if (!connection_.Prepare(all)) {
      study_.damaged = true;
      return {};
    }
    // By ranges of ids, so that a damaged page costs the runs on it alone.
    std::int64_t last = 0;
    auto max = ForEachRow("SELECT max(id) FROM runs",
                          [&](const SqliteStatement& row) { last = row.Whole(0); });
    if (!max) {
      study_.damaged = true;
      max = ForEachRow("SELECT count(*) FROM runs",
                       [&](const SqliteStatement& row) { last = row.Whole(0); });
      if (!max) last = kMaxSalvaged;
    }
    const bool knows_end = last < kMaxSalvaged;
    std::size_t unreadable = 0;
    // Whether there were runs after the last one that can be read is known only with the end.
    const auto count_unreadable = [&](std::size_t runs_before) {
      if (study_.runs.size() > runs_before || knows_end) {
        study_.unreadable_runs += std::exchange(unreadable, 0);
      }
    };
    std::int64_t chunks_without_runs = 0;
    for (std::int64_t from = 1; from <= last; from += kChunk) {
      const std::size_t before = study_.runs.size();
      if (TakeRange(from, from + kChunk - 1)) {
        count_unreadable(before);
      } else {
        study_.damaged = true;
        study_.runs.resize(before);
        for (std::int64_t id = from; id < from + kChunk && id <= last; ++id) {
          const std::size_t so_far = study_.runs.size();
          if (!TakeRange(id, id)) ++unreadable;
          count_unreadable(so_far);
        }
      }
      chunks_without_runs = study_.runs.size() > before ? 0 : chunks_without_runs + 1;
      if (!knows_end && chunks_without_runs > 100) break;
    }
    return {};
  }

  bool TakeRange(std::int64_t first, std::int64_t last) {
    auto rows =
        connection_.Prepare(std::string(kRunColumns) + " WHERE id BETWEEN ? AND ? ORDER BY id");
    if (!rows) return false;
    rows->Bind(1, first).Bind(2, last);
    while (true) {
      const auto more = rows->Step();
      if (!more) return false;
      if (!*more) return true;
      TakeRun(*rows);
    }
  }

  Result<void> LoadValues() {
    if (!salvage_) return TakeValues("SELECT run, metric, value FROM results ORDER BY run");
    for (std::size_t from = 0; from < study_.runs.size(); from += kChunk) {
      const std::size_t to = std::min(study_.runs.size(), from + kChunk) - 1;
      const auto range = [&](std::int64_t first, std::int64_t last) {
        return TakeValues("SELECT run, metric, value FROM results WHERE run BETWEEN " +
                          std::to_string(first) + " AND " + std::to_string(last) + " ORDER BY run");
      };
      if (range(study_.runs[from].id, study_.runs[to].id)) continue;
      study_.damaged = true;
      for (std::size_t i = from; i <= to; ++i) {
        static_cast<void>(range(study_.runs[i].id, study_.runs[i].id));
      }
    }
    return {};
  }

  Result<void> TakeValues(const std::string& sql) {
    // Both are in the order of ids.
    auto run = study_.runs.begin();
    return ForEachRow(sql, [&](const SqliteStatement& row) {
      const std::int64_t id = row.Whole(0);
      if (run == study_.runs.end() || run->id != id) {
        run = std::ranges::lower_bound(study_.runs, id, {}, &LoadedRun::id);
      }
      const auto metric = metric_indices_.find(row.Whole(1));
      if (run == study_.runs.end() || run->id != id || metric == metric_indices_.end()) return;
      if (run->values.size() <= metric->second) run->values.resize(metric->second + 1);
      run->values[metric->second] = row.IsWhole(2) ? Number(row.Whole(2)) : Number(row.Real(2));
    });
  }

  static constexpr std::int64_t kMaxSalvaged = 100'000'000;

  const SqliteConnection& connection_;
  bool salvage_;
  StoredStudy study_;
  std::map<std::int64_t, std::size_t> case_indices_;
  std::map<std::int64_t, std::size_t> metric_indices_;
  std::map<std::int64_t, std::size_t> condition_indices_;
  std::size_t last_node_ = 0;
};

}  // namespace

Result<StoredStudy> StudyStore::LoadStudyFile() const {
  return StudyLoader(connection_, false).FileAlone();
}

Result<StoredStudy> StudyStore::Load(const LoadOptions& options) const {
  return StudyLoader(connection_, options.salvage).All(options.values);
}

}  // namespace tare::study
