// system_inputs.h: what a program is told by the system, held by playing back what it was told
// before.
#pragma once

#include <filesystem>
#include <map>
#include <vector>

#include "analysis/why/factor.h"
#include "base/private_directory.h"
#include "base/result.h"
#include "measure/engine/engine_run.h"

namespace tare::why {

// logs by level. The first run records the log of level 0. A level of the time is that log with
// clocks that start later and go faster or slower; a level of random numbers or of system files is
// what the program is told when it first runs at that level, and played back from then on.
class Told {
 public:
  static Result<Told> Open();

  // What the first run shall do, and what came of it.
  engine::SystemLogs ToRecord() const;
  Result<void> Recorded();

  // What it asked for; nothing before Recorded().
  const std::optional<format::SystemLog>& Asked() const { return held_; }
  // Factors that it asked for and that can be held.
  std::vector<Choice> Choices() const;

  Result<engine::SystemLogs> At(const Levels& levels);
  // The run that was made with the last At() has ended: what it recorded is a level's log now.
  void Finished();

 private:
  explicit Told(PrivateDirectory directory) : directory_(std::move(directory)) {}
  std::filesystem::path HeldPath() const;
  Result<std::filesystem::path> TimeSystemLog(unsigned level);

  PrivateDirectory directory_;
  std::optional<format::SystemLog> held_;
  std::map<std::pair<Factor, unsigned>, std::filesystem::path> tapes_;
  std::vector<std::pair<Factor, unsigned>>
      pending_;  // wait for the system_log that is being recorded
  std::filesystem::path recording_;
  unsigned recorded_ = 0;
};

}  // namespace tare::why
