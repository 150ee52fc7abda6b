// long_series.cc: writes a trace with many records and two extremes: long_series FILE RECORDS
#include <array>
#include <cmath>
#include <cstdlib>

#include "format/series_writer.h"

int main(int count, char** words) {
  using tare::format::ChannelKind;
  if (count != 3) return 2;
  tare::format::SeriesHead head;
  head.interval = 1000;
  head.clock = "ns";
  head.channels = {{"load", "kernel", "", "synthetic", ChannelKind::kLevel, true},
                   {"events", "kernel", "", "synthetic", ChannelKind::kTotal, true}};
  auto writer = tare::format::SeriesWriter::Create(words[1], head);
  if (!writer) return 1;
  const long records = std::atol(words[2]);
  std::int64_t total = 0;
  std::uint32_t random = 1;
  for (long i = 0; i < records; ++i) {
    random = random * 1664525u + 1013904223u;
    const double wave = 200 * std::sin(static_cast<double>(i) * 1e-6);
    std::int64_t load = 1000 + static_cast<std::int64_t>(wave) + (random >> 28);
    if (i == records / 3) load = 99'999;
    if (i == records / 2) load = -5'000;
    total += 3 + (random >> 30);
    const std::array<std::optional<std::int64_t>, 2> values = {load, total};
    writer->Append(static_cast<std::uint64_t>(i) * 1000, values);
  }
  return writer->Close({}) ? 0 : 1;
}
