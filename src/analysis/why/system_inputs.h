// system_inputs.h: fixes a program's system inputs by replaying recorded logs.
#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "analysis/why/factor.h"
#include "base/private_directory.h"
#include "base/result.h"
#include "measure/engine/engine_run.h"

namespace tare::why {

// Logs by level. The first run records the log of level 0. A level of the time is that log with
// clocks that start later and run faster or slower. A level of random numbers or system files is
// recorded in the first run at that level and replayed from then on.
class SystemInputs {
 public:
  static Result<SystemInputs> Open();

  // The plan of the first run; call Recorded() after it.
  engine::SystemLogs ToRecord() const;
  Result<void> Recorded();

  // The recorded inputs; absent before Recorded().
  const std::optional<format::SystemLog>& RecordedLog() const { return log_; }
  // Factors that occur in the log and can be replayed.
  std::vector<FactorLevels> Factors() const;

  Result<engine::SystemLogs> At(const Levels& levels);
  // Call after the run with the result of the last At(): its recording becomes the log of the
  // level.
  void Finished();

 private:
  explicit SystemInputs(PrivateDirectory directory) : directory_(std::move(directory)) {}
  std::filesystem::path BaseLogPath() const;
  Result<std::filesystem::path> TimeSystemLog(unsigned level);

  PrivateDirectory directory_;
  std::optional<format::SystemLog> log_;
  std::map<std::pair<Factor, unsigned>, std::filesystem::path> logs_;
  std::vector<std::pair<Factor, unsigned>> pending_;  // levels whose log is being recorded
  std::filesystem::path recording_;
  unsigned recorded_ = 0;
};

}  // namespace tare::why
