// series_thin.cc: rewrites a series in two passes, one for the channels and one for the records.
#include "format/series_thin.h"

#include <fmt/format.h>

#include "base/printable.h"
#include "format/series_reader.h"
#include "format/series_writer.h"

namespace tare::format {

Result<void> ThinSeries(const std::filesystem::path& path, std::uint64_t interval,
                        const std::function<bool(std::uint64_t record)>& keeps) {
  TRY(auto first, SeriesReader::Open(path));
  while (first.Next() != nullptr) {
  }
  if (!first.Outcome().end) {
    return Fail(ErrorKind::kFormat, fmt::format("{} is incomplete: {}", Printable(path.string()),
                                                first.Outcome().reason));
  }
  SeriesHead head = first.Head();
  head.interval = interval;
  SeriesEnd end = *first.Outcome().end;
  end.interval = interval;
  TRY(auto reader, SeriesReader::Open(path));
  TRY(auto writer, SeriesWriter::CreateUnseen(path, head));
  std::uint64_t record = 0;
  SeriesRecord wide;
  ForEachRecord(reader, [&](const SeriesRecord& narrow) {
    if (!keeps(record++)) return;
    wide = narrow;
    wide.values.resize(head.channels.size());
    writer.Append(wide);
  });
  return writer.Close(std::move(end));
}

}  // namespace tare::format
