// run_record.h: what is stored about one run of a study.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/measured.h"
#include "base/result.h"

namespace tare::study {

enum class RunState {
  kOk,
  kFailed,      // another exit status than a successful run has
  kKilled,      // by a signal
  kTimedOut,    // ended by the timeout
  kNotStarted,  // the program or the engine could not be started
  kNoMetric,    // the output lacks a number of [[metric]]
  kLost,        // Slurm: never came back, as often as it was tried
};
std::string_view Name(RunState state);
std::optional<RunState> ParseRunState(std::string_view name);

// What must be the same for runs to be comparable: name and value. Names that start with "program"
// or "input" concern the case, the others the machine.
using ConditionFacts = std::map<std::string, std::string>;

struct MetricValue {
  std::string metric;
  std::string unit;
  Number value;
};

struct RunRecord {
  std::string key;  // of the case
  std::int64_t repetition = 0;
  std::int64_t attempt = 1;
  double started = 0;  // seconds since 1970
  RunState state = RunState::kOk;
  std::optional<int> exit_status;
  std::optional<int> signal;
  double seconds = 0;  // wall time
  double load = 0;     // one-minute load average before the run
  std::string node;
  ConditionFacts conditions;
  std::string message;  // why it failed; empty if it did not
  std::vector<MetricValue> values;

  bool Succeeded() const { return state == RunState::kOk; }
};

// One line of JSON. Results of Slurm tasks are files of these.
std::string ToJson(const RunRecord& record);
Result<RunRecord> ParseRunRecord(std::string_view text);

std::string FactsJson(const ConditionFacts& facts);
Result<ConditionFacts> ParseFacts(std::string_view json);

}  // namespace tare::study
