// run_schedule.cc: rounds in random order and the rules that stop them.
#include "analysis/study/run_schedule.h"

#include <algorithm>

#include "base/check.h"
#include "measure/run/repeat.h"
#include "stats/random.h"
#include "stats/shuffle.h"

namespace tare::study {

std::string_view Name(CaseEnd end) {
  switch (end) {
    case CaseEnd::kOpen:
      return "open";
    case CaseEnd::kComplete:
      return "complete";
    case CaseEnd::kPrecise:
      return "precise enough";
    case CaseEnd::kMaxRuns:
      return "not precise";
    case CaseEnd::kGivenUp:
      return "given up";
    case CaseEnd::kFailed:
      return "failed";
  }
  return "";
}

RunSchedule::RunSchedule(const Study& study, const StudyCases& cases)
    : study_(study), cases_(cases), states_(cases.cases.size()) {
  first_open_ = -static_cast<std::int64_t>(study.warm_up_runs);
  for (std::size_t i = 0; i < cases.cases.size(); ++i) {
    last_round_ = std::max(last_round_, static_cast<std::int64_t>(MaxRuns(i)));
    states_[i].left = CountLeft(i);
    AddLeft(i, 1);
  }
}

std::size_t RunSchedule::MaxRuns(std::size_t index) const {
  const StudyCase& one = cases_.cases[index];
  const bool is_timed = study_.engines[one.engine].name == "time";
  if (!study_.precision || !is_timed) return one.runs;
  return std::max(one.runs, study_.precision->max_runs);
}

std::size_t RunSchedule::SlotOf(const PlannedRun& run) const {
  const std::int64_t slot = run.repetition + static_cast<std::int64_t>(study_.warm_up_runs);
  CHECK(slot >= 0);
  return static_cast<std::size_t>(slot);
}

bool RunSchedule::IsStored(const PlannedRun& run) const {
  if (run.repetition < -static_cast<std::int64_t>(study_.warm_up_runs)) return false;
  const std::size_t slot = SlotOf(run);
  const State& state = states_[run.index];
  return slot < state.stored.size() && state.stored[slot];
}

void RunSchedule::Add(const StoredRun& stored) {
  // A study that once had more warm-up runs.
  if (stored.run.repetition < -static_cast<std::int64_t>(study_.warm_up_runs)) return;
  State& state = states_[stored.run.index];
  const std::size_t slot = SlotOf(stored.run);
  if (slot >= state.stored.size()) state.stored.resize(slot + 1);
  if (state.stored[slot]) return;
  AddLeft(stored.run.index, -1);
  if (slot >= state.taken.size()) state.taken.resize(slot + 1);
  if (state.taken[slot]) --state.out;
  state.taken[slot] = true;
  state.stored[slot] = true;
  ++state.stored_runs;
  ++stored_;
  state.failed += stored.succeeded ? 0 : 1;
  state.succeeded += stored.succeeded && stored.run.repetition >= 0 ? 1 : 0;
  state.seconds += stored.seconds;
  seconds_ += stored.seconds;
  if (stored.precise && stored.run.repetition >= 0) state.samples.push_back(*stored.precise);
  state.left = CountLeft(stored.run.index);
  AddLeft(stored.run.index, 1);
}

void RunSchedule::Take(const PlannedRun& run) {
  if (run.repetition < -static_cast<std::int64_t>(study_.warm_up_runs)) return;
  State& state = states_[run.index];
  const std::size_t slot = SlotOf(run);
  if (slot >= state.taken.size()) state.taken.resize(slot + 1);
  if (state.taken[slot]) return;
  state.taken[slot] = true;
  ++state.out;
}

bool RunSchedule::IsPrecise(const State& state) const {
  run::Precision until;
  until.relative_width = study_.precision->relative_width;
  until.confidence = study_.confidence;
  return run::IsPreciseEnough(state.samples, until);
}

bool RunSchedule::Wants(std::size_t index, std::int64_t repetition) const {
  const State& state = states_[index];
  if (state.failed >= study_.max_failures) return false;
  const std::size_t slot = SlotOf({index, repetition});
  if (slot < state.taken.size() && state.taken[slot]) return false;
  const auto runs = static_cast<std::int64_t>(cases_.cases[index].runs);
  if (repetition < runs) return true;
  if (repetition >= static_cast<std::int64_t>(MaxRuns(index))) return false;
  // The rule decides when all earlier runs are known.
  return state.out == 0 && !IsPrecise(state);
}

std::vector<std::size_t> RunSchedule::OrderOf(std::int64_t round) const {
  // Any fixed mixture of both numbers: the generator hashes its seed.
  const std::uint64_t mixed =
      study_.seed * 0x9e3779b97f4a7c15u + static_cast<std::uint64_t>(round) * 0xbf58476d1ce4e5b9u;
  stats::Generator generator(mixed);
  return stats::RandomOrder(cases_.cases.size(), generator);
}

std::vector<PlannedRun> RunSchedule::Next(std::size_t limit) {
  std::vector<PlannedRun> runs;
  if (IsBudgetSpent()) return runs;
  for (std::int64_t round = first_open_; round < last_round_ && runs.size() < limit; ++round) {
    bool open = false;
    if (!has_round_ || round_number_ != round) {
      round_ = OrderOf(round);
      round_number_ = round;
      round_start_ = 0;
      has_round_ = true;
    }
    for (std::size_t place = round_start_; place < round_.size(); ++place) {
      const std::size_t index = round_[place];
      if (Wants(index, round)) {
        if (runs.size() == limit) {
          open = true;
          break;
        }
        Take({index, round});
        runs.push_back({index, round});
      } else {
        const State& state = states_[index];
        // The precision rule may want this round later.
        open = open ||
               (state.out > 0 && round >= static_cast<std::int64_t>(cases_.cases[index].runs) &&
                round < static_cast<std::int64_t>(MaxRuns(index)));
      }
      if (!open) round_start_ = place + 1;
    }
    if (!open && round == first_open_) ++first_open_;
    if (open && runs.size() < limit && round >= static_cast<std::int64_t>(study_.runs)) break;
  }
  return runs;
}

CaseEnd RunSchedule::EndOf(std::size_t index) const {
  const State& state = states_[index];
  if (state.failed >= study_.max_failures) return CaseEnd::kGivenUp;
  if (RunsLeft(index) > 0) return CaseEnd::kOpen;
  if (state.succeeded == 0) return CaseEnd::kFailed;
  if (MaxRuns(index) == cases_.cases[index].runs) return CaseEnd::kComplete;
  return IsPrecise(state) ? CaseEnd::kPrecise : CaseEnd::kMaxRuns;
}

bool RunSchedule::HasNoResult(std::size_t index) const {
  return RunsLeft(index) == 0 && states_[index].succeeded == 0;
}

bool RunSchedule::IsBudgetSpent() const {
  return study_.budget_seconds && seconds_ >= *study_.budget_seconds;
}

bool RunSchedule::IsFinished() const { return IsBudgetSpent() || left_ == 0; }

std::size_t RunSchedule::RunsLeft(std::size_t index) const { return states_[index].left; }

std::size_t RunSchedule::CountLeft(std::size_t index) const {
  const State& state = states_[index];
  if (state.failed >= study_.max_failures) return 0;
  const std::size_t certain = cases_.cases[index].runs + study_.warm_up_runs;
  if (state.stored_runs < certain) return certain - state.stored_runs;
  const std::size_t max = MaxRuns(index) + study_.warm_up_runs;
  return max > certain && state.stored_runs < max && !IsPrecise(state) ? 1u : 0u;
}

std::size_t RunSchedule::RunsLeft() const { return left_; }

void RunSchedule::AddLeft(std::size_t index, int sign) {
  const State& state = states_[index];
  const auto add = [&](std::size_t& sum) { sum = sign > 0 ? sum + state.left : sum - state.left; };
  add(left_);
  if (state.stored_runs == 0) return add(left_unknown_);
  const double seconds =
      static_cast<double>(state.left) * state.seconds / static_cast<double>(state.stored_runs);
  seconds_left_ = std::max(0.0, seconds_left_ + sign * seconds);
}

std::optional<double> RunSchedule::SecondsOf(std::size_t index) const {
  const State& state = states_[index];
  if (state.stored_runs > 0) return state.seconds / static_cast<double>(state.stored_runs);
  if (stored_ == 0) return std::nullopt;
  return seconds_ / static_cast<double>(stored_);
}

std::optional<double> RunSchedule::SecondsLeft() const {
  if (stored_ == 0) return std::nullopt;
  const double seconds =
      seconds_left_ + static_cast<double>(left_unknown_) * seconds_ / static_cast<double>(stored_);
  if (!study_.budget_seconds) return seconds;
  return std::min(seconds, std::max(0.0, *study_.budget_seconds - seconds_));
}

}  // namespace tare::study
