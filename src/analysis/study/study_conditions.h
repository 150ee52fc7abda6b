// study_conditions.h: the conditions under which a run takes place.
#pragma once

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/study/run_record.h"
#include "base/result.h"

namespace tare::study {

// Hashes of files; a file whose size, time of change and inode stay the same is not read again.
class FileHashes {
 public:
  // SHA-256; "unreadable" if it cannot be read.
  std::string Of(const std::filesystem::path& path);

 private:
  struct Known {
    struct stat state;
    std::string hash;
  };
  std::map<std::string, Known> known_;
};

// What is the same for all cases: machine, kernel, governor, turbo, SMT, huge pages, address
// randomization, clock source, environment and version of tare.
class MachineConditions {
 public:
  explicit MachineConditions(std::string version) : version_(std::move(version)) {}

  // Read again when the last reading is older than ten seconds.
  const ConditionFacts& Now();

 private:
  std::string version_;
  ConditionFacts facts_;
  std::chrono::steady_clock::time_point read_;
};

// The one-minute load average; 0 if it cannot be read.
double LoadNow();

// A hash of the variables that may influence a program: not those that every shell, session or
// job sets anew.
std::string EnvironmentHash(const std::vector<std::string>& entries);

// Names of the facts in which `now` differs from `first`.
std::vector<std::string> ChangedFacts(const ConditionFacts& first, const ConditionFacts& now);

// Whether a fact concerns the program or its input, not the machine.
bool IsCaseFact(std::string_view name);

}  // namespace tare::study
