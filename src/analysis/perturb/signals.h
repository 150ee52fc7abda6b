// signals.h: the metrics of one trace as signals that can be set beside each other.
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
  std::vector<double> values;  // of a total: what happened since the record before
  bool total = true;           // otherwise a level at the moment of the record
  std::string unit = {};       // as format::Channel has it
  bool exact = true;           // the same

  // What the program was changed for, not what it is watched by.
  bool IsSoftware() const { return group == "software"; }
  bool IsConstant() const;
};

// A metric that cannot be used.
struct Unusable {
  std::string name;
  std::string reason;
};

struct TraceSignals {
  std::string name;            // of the file
  std::string program;         // its command line
  std::string clock;           // "ns" or "instructions"
  std::string machine;         // that it ran on, or that was modelled; empty: not known
  std::uint64_t interval = 0;  // wanted distance of records, in steps of the clock; 0: not known
  std::vector<std::uint64_t> times;  // by the clock, of each value
  std::vector<Signal> signals;       // all equally long
  std::vector<Unusable> unusable;
  bool complete = true;

  std::size_t length() const { return signals.empty() ? 0 : signals.front().values.size(); }
  const Signal* Find(std::string_view metric) const;
  std::vector<std::string> SoftwareMetrics() const;
  // All that were run between the first and the last record, where they were counted.
  std::optional<double> Instructions() const;
};

// Fewer records than these say nothing about a correlation.
inline constexpr std::size_t kMinLength = 8;

// `name` is what it is called from now on. kFormat for what is no series; kUsage for one that was
// cut short, unless that is accepted, and for too few records.
Result<TraceSignals> ReadSignals(const std::filesystem::path& file, const std::string& name,
                                 bool accept_incomplete);

// Whether two traces are of the same thing: the same clock and machine, the same program by its
// name and arguments. A sentence, kUsage, when they are not.
Result<void> RequireSameKind(const TraceSignals& first, const TraceSignals& second);

}  // namespace tare::perturb
