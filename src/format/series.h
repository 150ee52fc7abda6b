// series.h: what a vertical trace consists of: channels, and records of them at regular times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tare::format {

enum class ChannelKind {
  kTotal,  // a count since the start: the difference of two records is what happened between them
  kLevel,  // a quantity at the moment of the record
};

struct Channel {
  std::string name;    // unique in a series: "calls of BZ2_compressBlock", "page-faults"
  std::string group;   // "software", "kernel", "hardware", "virtual"
  std::string unit;    // "" for a plain number; otherwise as base/units knows it
  std::string source;  // where the numbers came from: "compiled", "perf_event_open", "/proc/PID/io"
  ChannelKind kind = ChannelKind::kTotal;
  bool exact = true;  // every event was counted, not an estimate
};

// What was wanted and could not be had.
struct AbsentChannel {
  std::string name;
  std::string group;
  std::string reason;
};

struct SeriesFact {
  std::string name;  // "program", "sampler", "machine"
  std::string value;
};

struct SeriesHead {
  std::uint64_t interval = 0;  // wanted distance of records, in steps of the clock
  std::string clock;           // what the times count: "ns" or "instructions"
  std::vector<Channel> channels;
  std::vector<AbsentChannel> absent;
  std::vector<SeriesFact> facts;
};

// One record. `values` has an element for each channel; absent ones were not to be had then.
struct SeriesRecord {
  std::uint64_t time = 0;  // since the start, never less than in the record before
  std::vector<std::optional<std::int64_t>> values;
};

// More than these is refused, by the writer and by the reader.
inline constexpr std::size_t kMaxChannels = 65536;
inline constexpr std::size_t kMaxSeriesTextBytes = 8u << 20;  // head and end, as stored

// Known at the end only.
struct SeriesEnd {
  std::uint64_t interval = 0;     // what it came to, where it was changed on the way
  std::uint64_t missed = 0;       // moments at which no record could be taken
  std::uint64_t dropped = 0;      // records that were taken and could not be kept
  std::string loss;               // why, when there are any: "No space left on device"
  std::vector<SeriesFact> facts;  // "exit status", "cost of sampling", ...
};

}  // namespace tare::format
