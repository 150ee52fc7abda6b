// signals.h: the metrics of one trace as comparable signals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tare::perturb {

struct Signal {
  std::string name;
  std::string group;           // "software", "kernel", "hardware", "virtual"
  std::vector<double> values;  // of a total: the increase since the previous record
  bool total = true;           // otherwise a level at the time of the record
  std::string unit = {};       // as in format::Channel
  bool exact = true;           // as in format::Channel

  // Software metrics are what the program was instrumented for, not what it is judged by.
  bool IsSoftware() const { return group == "software"; }
  bool IsConstant() const;
};

// A metric that cannot be used.
struct Unusable {
  std::string name;
  std::string reason;
};

struct TraceSignals {
  std::string name;                  // of the file
  std::string program;               // command line
  std::string clock;                 // "ns" or "instructions"
  std::string machine;               // on which it ran, or that was modelled; empty: unknown
  std::uint64_t interval = 0;        // nominal distance of records in clock units; 0: unknown
  std::vector<std::uint64_t> times;  // of each value, in clock units
  std::vector<Signal> signals;       // all of equal length
  std::vector<Unusable> unusable;
  bool complete = true;

  std::size_t length() const { return signals.empty() ? 0 : signals.front().values.size(); }
  const Signal* Find(std::string_view metric) const;
  std::vector<std::string> SoftwareMetrics() const;
  // Instructions between the first and the last record, if they were counted.
  std::optional<double> Instructions() const;
};

// Minimum number of records for a correlation.
inline constexpr std::size_t kMinLength = 8;

// What becomes of a metric that some records lack.
enum class Gaps {
  kUnusable,    // it cannot be used
  kRepeatLast,  // its previous value is repeated: for metrics that are read at a longer interval
};

// `name` becomes the name of the result. kFormat if the file is not a series; kUsage if it is
// truncated, unless `accept_incomplete`, or has too few records.
Result<TraceSignals> ReadSignals(const std::filesystem::path& file, const std::string& name,
                                 bool accept_incomplete, Gaps gaps = Gaps::kUnusable);

// kUsage unless both traces have the same clock, machine, program name and arguments.
Result<void> RequireSameKind(const TraceSignals& first, const TraceSignals& second);

}  // namespace tare::perturb
