// run_schedule.h: which runs of a study come next, and when it is finished.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/study/study_cases.h"
#include "analysis/study/study_file.h"

namespace tare::study {

struct PlannedRun {
  std::size_t index = 0;        // into StudyCases::cases
  std::int64_t repetition = 0;  // from 0; negative: warm-up

  friend bool operator==(const PlannedRun&, const PlannedRun&) = default;
};

// What the schedule needs to know about a stored run.
struct StoredRun {
  PlannedRun run;
  bool succeeded = true;
  double seconds = 0;
  std::optional<double> precise;  // the metric of the precision rule
};

// kFailed: it has all its runs, and none succeeded.
enum class CaseEnd { kOpen, kComplete, kPrecise, kMaxRuns, kGivenUp, kFailed };
std::string_view Name(CaseEnd end);

// Pure: no clock, no files. Each round of runs, one of every case that still needs one, is in its
// own random order, so that drift of the machine affects all cases alike. The order depends on the
// seed and the number of the round alone, so it is the same after an interruption.
class RunSchedule {
 public:
  RunSchedule(const Study& study, const StudyCases& cases);

  void Add(const StoredRun& run);
  // Hands out this run, as Next does: for runs that an earlier process submitted.
  void Take(const PlannedRun& run);

  // Up to `limit` runs that are neither stored nor handed out, in order; they are then handed out.
  // Empty if none is left, the budget is spent, or the rest depends on runs that are handed out.
  std::vector<PlannedRun> Next(std::size_t limit);

  bool IsStored(const PlannedRun& run) const;
  CaseEnd EndOf(std::size_t index) const;
  // Whether no run is left, and no run but warm-up runs succeeded.
  bool HasNoResult(std::size_t index) const;
  bool IsBudgetSpent() const;
  bool IsFinished() const;  // nothing is left to run

  // Runs that are certainly left, and the time they take; the seconds are absent if no run is
  // stored yet. A precision rule may need more.
  std::size_t RunsLeft() const;
  std::size_t RunsLeft(std::size_t index) const;
  std::optional<double> SecondsLeft() const;
  std::optional<double> SecondsOf(std::size_t index) const;  // mean of a run
  double SecondsSpent() const { return seconds_; }
  std::size_t Stored() const { return stored_; }

 private:
  struct State {
    std::vector<bool> taken;  // by repetition + warm-up runs: stored or handed out
    std::vector<bool> stored;
    std::size_t stored_runs = 0;
    std::size_t out = 0;  // handed out
    std::size_t failed = 0;
    std::size_t succeeded = 0;  // without warm-up runs
    double seconds = 0;
    std::vector<double> samples;  // of the precision rule
    std::size_t left = 0;         // see RunsLeft
  };

  std::size_t CountLeft(std::size_t index) const;
  // Adds the runs left of the case, and their time, to the sums; -1 takes them away.
  void AddLeft(std::size_t index, int sign);
  std::size_t SlotOf(const PlannedRun& run) const;
  bool Wants(std::size_t index, std::int64_t repetition) const;
  bool IsPrecise(const State& state) const;
  std::size_t MaxRuns(std::size_t index) const;
  std::vector<std::size_t> OrderOf(std::int64_t round) const;

  const Study& study_;
  const StudyCases& cases_;
  std::vector<State> states_;
  std::int64_t first_open_ = 0;  // all rounds before have nothing left
  std::int64_t last_round_ = 0;
  double seconds_ = 0;
  std::size_t stored_ = 0;
  std::size_t left_ = 0;            // of all cases
  std::size_t left_unknown_ = 0;    // of cases without a stored run
  double seconds_left_ = 0;         // of the others
  std::vector<std::size_t> round_;  // order of the round `round_number_`
  std::size_t round_start_ = 0;     // nothing is left of the cases before this place
  std::int64_t round_number_ = 0;
  bool has_round_ = false;
};

}  // namespace tare::study
