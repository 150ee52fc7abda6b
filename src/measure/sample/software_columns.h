// software_columns.h: the columns of a program's counters in the records of a series.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "format/series_writer.h"
#include "measure/sample/software_source.h"

namespace tare::sample {

// The names of the counters are known only once the program runs, so channels are added during the
// run.
class SoftwareColumns {
 public:
  // Adds channels to `writer`, and elements to `values`, for new counters.
  void Look(SoftwareSource& software, format::SeriesWriter& writer,
            std::vector<std::optional<std::int64_t>>& values);
  // Reads the current counts into their elements of `values`.
  void Read(SoftwareSource& software, std::vector<std::optional<std::int64_t>>& values);
  // The same, but reads the slots through `read` instead of from the files.
  void ReadFrom(const SoftwareSource& software, const SoftwareChannels::ReadSlot& read,
                std::vector<std::optional<std::int64_t>>& values);

 private:
  void Place(std::vector<std::optional<std::int64_t>>& values);

  std::vector<std::optional<std::size_t>> columns_;  // absent: the series rejected the channel
  std::vector<std::optional<std::int64_t>> read_;
};

}  // namespace tare::sample
