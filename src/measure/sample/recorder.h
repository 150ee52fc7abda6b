// recorder.h: records of several sources, into the file of a series.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/series_writer.h"
#include "measure/sample/metric_choice.h"
#include "measure/sample/pace.h"
#include "measure/sample/software_columns.h"
#include "measure/sample/software_source.h"
#include "measure/sample/source.h"

namespace tare::sample {

// The channels of those sources that are wanted, and what is absent of them.
void AddToHead(const std::vector<Source>& sources, const MetricChoice& choice,
               format::SeriesHead& head);

class Recorder {
 public:
  // `writer` has the channels that AddToHead gave for the same sources, and no others yet.
  Recorder(std::vector<Source> sources, SoftwareSource& software, const MetricChoice& choice,
           Pace& pace, format::SeriesWriter& writer);

  // The record of the moment before the first instruction.
  void TakeStart();
  // The time since the start.
  using Clock = std::function<std::uint64_t()>;

  // The record that is due, at the time when reading begins. When something came between time and
  // values, all is read again. A source whose reading would take more than its share of the time is
  // left for a later record.
  void Take(const Clock& clock);
  // The last one. The program has ended.
  void TakeEnd(std::uint64_t time_ns);

  // When the next record is due, since the start.
  std::uint64_t DueNs() const { return pace_.DueNs(); }
  void FlushIfDue(std::uint64_t now_ns) { writer_.FlushIfDue(now_ns); }
  std::uint64_t Records() const { return records_; }
  // From the time of a record to its last value, at most.
  std::uint64_t LongestReadingNs() const { return longest_reading_ns_; }

 private:
  static constexpr std::size_t kUnwanted = static_cast<std::size_t>(-1);

  // What it takes to read something, lately.
  struct Cost {
    std::uint64_t ns = 0;
    void Took(std::uint64_t took_ns);
  };

  struct Read {
    Source source;
    std::vector<std::size_t> columns;  // of the file, for each channel
    std::vector<std::optional<std::int64_t>> values;
    Cost cost;
  };

  void ReadSources();
  void Place(Read& read);
  void Append(std::uint64_t time_ns);

  std::vector<Read> reads_;
  SoftwareSource& software_;
  SoftwareColumns software_columns_;
  Cost software_cost_;
  Pace& pace_;
  format::SeriesWriter& writer_;
  std::vector<std::optional<std::int64_t>> values_;  // of the record
  Cost cost_;                                        // of a record
  std::uint64_t last_time_ns_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t longest_reading_ns_ = 0;
};

}  // namespace tare::sample
