// series_thin.cc: from one file into a new one that takes its place.
#include "trace/series_thin.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <vector>

#include "base/check.h"
#include "base/printable.h"
#include "trace/series_reader.h"
#include "trace/series_writer.h"

namespace tare::trace {
namespace {

std::uint64_t Times(std::uint64_t interval, std::uint64_t every) {
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return interval > most / every ? most : interval * every;
}

// Puts the kept records into `writer`; the last one is held back until it is known to be that.
class Thinning {
 public:
  Thinning(SeriesWriter& writer, std::uint64_t every) : writer_(writer), every_(every) {}

  void Take(const RecordColumns& columns) {
    for (std::size_t i = 0; i < columns.Records(); ++i, ++number_) {
      const bool is_last = i + 1 == columns.Records();
      if (number_ % every_ != 0 && !is_last) continue;
      values_.clear();
      for (std::size_t c = 0; c < columns.Channels(); ++c) values_.push_back(columns.Value(i, c));
      if (number_ % every_ == 0) writer_.Append(columns.Times()[i], values_);
      last_time_ = columns.Times()[i];
    }
  }

  // Channels that came behind the last record have no value in it.
  void Finish() {
    if (number_ == 0 || (number_ - 1) % every_ == 0) return;
    values_.resize(writer_.Channels());
    writer_.Append(last_time_, values_);
  }

 private:
  SeriesWriter& writer_;
  std::uint64_t every_;
  std::uint64_t number_ = 0;
  std::uint64_t last_time_ = 0;
  std::vector<std::optional<std::int64_t>> values_;
};

}  // namespace

Result<void> ThinSeries(const std::filesystem::path& path, std::uint64_t every) {
  CHECK(every > 0);
  TRY(auto reader, SeriesReader::Open(path));
  SeriesHead head = reader.Head();
  head.interval_ns = Times(head.interval_ns, every);
  TRY(auto writer, SeriesWriter::CreateUnseen(path, head));
  Thinning thinning(writer, every);
  while (const RecordColumns* columns = reader.Next()) {
    const auto added = std::span(reader.Head().channels).first(columns->Channels());
    TRY_VOID(writer.AddChannels(added.subspan(writer.Channels())));
    thinning.Take(*columns);
    TRY_VOID(writer.Status());
  }
  std::optional<SeriesEnd> end = reader.Outcome().end;
  if (!end) {
    return Fail(ErrorKind::kFormat, fmt::format("cannot thin {}: {}", Printable(path.string()),
                                                reader.Outcome().reason));
  }
  TRY_VOID(writer.AddChannels(std::span(reader.Head().channels).subspan(writer.Channels())));
  thinning.Finish();
  end->interval_ns = Times(end->interval_ns, every);
  return writer.Close(*end);
}

}  // namespace tare::trace
