// local_executor.h: runs a study on this machine, one run after the other or several at once.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "analysis/study/case_runner.h"
#include "analysis/study/run_schedule.h"
#include "analysis/study/study_store.h"
#include "base/descriptor.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/stop.h"

namespace tare::study {

// The parts of a study that is being run; all outlive the executor.
struct StudyInProgress {
  const Study& study;
  const StudyCases& cases;
  StudyStore& store;
  RunSchedule& schedule;
};

// Stores each run as soon as it ends. Returns the number of runs. When the user interrupts, the
// runs in flight are not stored: Stopped(). To be called while this process has one thread.
Result<std::size_t> RunLocally(const StudyInProgress& parts, CaseRunner& runner,
                               const StopAsked& interrupted, const Progress& progress);

// Fills the schedule with the runs in the database.
Result<void> AddStoredRuns(const Study& study, const StudyCases& cases, const StudyStore& store,
                           RunSchedule& schedule);

// What the schedule needs to know about a run.
StoredRun Brief(const Study& study, const PlannedRun& planned, const RunRecord& record);

// "run 12 of 120, 3 min left".
std::string ProgressText(const RunSchedule& schedule);
double ProgressFraction(const RunSchedule& schedule);

// At most one run at a time of all studies of this user on this machine. Closed if the lock cannot
// be made, which then nobody respects.
class MachineLock {
 public:
  MachineLock();
  // Waits for other runs to end; Stopped() when the user interrupts. `waiting` is called once if
  // that takes long.
  Result<void> Take(const StopAsked& interrupted, const std::function<void()>& waiting) const;
  void Release() const;

 private:
  Descriptor file_;
};

}  // namespace tare::study
