// series.h: the data of a vertical trace: channels, and records of their values at regular times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tare::format {

enum class ChannelKind {
  kTotal,  // a count since the start: the difference of two records is the number of events between
           // them
  kLevel,  // a quantity at the time of the record
};

struct Channel {
  std::string name;    // unique in a series: "calls of BZ2_compressBlock", "page-faults"
  std::string group;   // "software", "kernel", "hardware", "virtual"
  std::string unit;    // "" for a plain number, otherwise a unit of base/units.h
  std::string source;  // where the numbers come from: "compiled", "perf_event_open", "/proc/PID/io"
  ChannelKind kind = ChannelKind::kTotal;
  bool exact = true;  // every event was counted, not estimated
};

// A requested channel that was not available.
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
  std::uint64_t interval = 0;  // requested distance of records, in units of the clock
  std::string clock;           // unit of all times: "ns" or "instructions"
  std::vector<Channel> channels;
  std::vector<AbsentChannel> absent;
  std::vector<SeriesFact> facts;
};

// One record. `values` has one element per channel; an absent value was not available at that time.
struct SeriesRecord {
  std::uint64_t time = 0;  // since the start; never decreases
  std::vector<std::optional<std::int64_t>> values;
};

// The writer and the reader reject more than this.
inline constexpr std::size_t kMaxChannels = 65536;
inline constexpr std::size_t kMaxSeriesTextBytes = 8u << 20;  // head and end, as stored

// Facts that are known only at the end.
struct SeriesEnd {
  std::uint64_t interval = 0;     // the final interval, if it was changed during the run
  std::uint64_t missed = 0;       // times at which no record could be taken
  std::uint64_t dropped = 0;      // records that were taken but could not be stored
  std::string loss;               // the reason for dropped records: "No space left on device"
  std::vector<SeriesFact> facts;  // "exit status", "cost of sampling", ...
};

}  // namespace tare::format
