// software_columns.h: where the counters of a program stand in the records of a series.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "format/series_writer.h"
#include "measure/sample/software_source.h"

namespace tare::sample {

// Their names are known only when the program runs, so that channels are added on the way.
class SoftwareColumns {
 public:
  // Adds channels to `writer`, and elements to `values`, for what has come since.
  void Look(SoftwareSource& software, format::SeriesWriter& writer,
            std::vector<std::optional<std::int64_t>>& values);
  // What they count now, into their elements of `values`.
  void Read(SoftwareSource& software, std::vector<std::optional<std::int64_t>>& values);
  // The same, from other slots than those of the files.
  void ReadFrom(const SoftwareSource& software, const SoftwareChannels::ReadSlot& read,
                std::vector<std::optional<std::int64_t>>& values);

 private:
  void Place(std::vector<std::optional<std::int64_t>>& values);

  std::vector<std::optional<std::size_t>> columns_;  // none: the series refused it
  std::vector<std::optional<std::int64_t>> read_;
};

}  // namespace tare::sample
