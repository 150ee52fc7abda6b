// recorder.h: reads several sources into the records of a series file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/series_writer.h"
#include "measure/sample/metric_selection.h"
#include "measure/sample/pace.h"
#include "measure/sample/software_columns.h"
#include "measure/sample/software_source.h"
#include "measure/sample/source.h"

namespace tare::sample {

// Adds the selected channels of the sources, and the absent ones.
void AddToHead(const std::vector<Source>& sources, const MetricSelection& selection,
               format::SeriesHead& head);

class Recorder {
 public:
  // `writer` must have exactly the channels that AddToHead added for the same sources.
  Recorder(std::vector<Source> sources, SoftwareSource& software, const MetricSelection& selection,
           Pace& pace, format::SeriesWriter& writer);

  // Takes the record at the time before the first instruction.
  void TakeStart();
  // Returns the time since the start, in nanoseconds.
  using Clock = std::function<std::uint64_t()>;

  // Takes the due record, with the time at which reading begins. Reads everything again if the
  // reading was interrupted. Skips a source whose reading would exceed its share of the time until
  // a later record.
  void Take(const Clock& clock);
  // Takes the last record. The program has ended.
  void TakeEnd(std::uint64_t time_ns);

  // Time since the start at which the next record is due.
  std::uint64_t DueNs() const { return pace_.DueNs(); }
  void FlushIfDue(std::uint64_t now_ns) { writer_.FlushIfDue(now_ns); }
  std::uint64_t Records() const { return records_; }
  // Maximum time from the time stamp of a record to its last value.
  std::uint64_t LongestReadingNs() const { return longest_reading_ns_; }

 private:
  static constexpr std::size_t kUnwanted = static_cast<std::size_t>(-1);

  // Moving average of the time that a reading takes.
  struct Cost {
    std::uint64_t ns = 0;
    void Add(std::uint64_t took_ns);
  };

  struct Read {
    Source source;
    std::vector<std::size_t> columns;  // column in the file for each channel
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
  std::vector<std::optional<std::int64_t>> values_;  // of the current record
  Cost cost_;                                        // of one record
  std::uint64_t last_time_ns_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t longest_reading_ns_ = 0;
};

}  // namespace tare::sample
