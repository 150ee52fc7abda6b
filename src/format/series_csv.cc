// series_csv.cc: writes RFC 4180 text that is safe for terminals and spreadsheets.
#include "format/series_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.h"
#include "format/growing_file.h"

namespace tare::format {
namespace {

constexpr std::size_t kPiece = 1u << 16;

// A name that a spreadsheet would interpret as a formula gets a leading apostrophe.
std::string Field(std::string_view text) {
  std::string safe = Printable(text);
  if (safe.find_first_of("=+-@") == 0) safe.insert(0, 1, '\'');
  if (safe.find_first_of(",\"") == std::string::npos) return safe;
  std::string quoted = "\"";
  for (const char c : safe) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

class Lines {
 public:
  Lines(const SeriesHead& head, const SeriesCsvOptions& options, const TextSink& sink)
      : sink_(sink), before_(head.channels.size()) {
    text_ = Field("time_" + head.clock);
    for (const Channel& channel : head.channels) {
      differs_.push_back(options.differences && channel.kind == ChannelKind::kTotal);
      wanted_.push_back(!options.wants || options.wants(channel.name));
      if (wanted_.back()) text_ += "," + Field(channel.name);
    }
    text_ += "\n";
  }

  Result<void> Take(const RecordColumns& columns) {
    for (std::size_t i = 0; i < columns.Records(); ++i) {
      fmt::format_to(std::back_inserter(text_), "{}", columns.Times()[i]);
      // Channels that are added later have no value yet.
      for (std::size_t c = 0; c < before_.size(); ++c) {
        if (!wanted_[c]) continue;
        text_ += ',';
        if (c >= columns.Channels()) continue;
        if (const auto value = columns.Value(i, c)) AddValue(c, *value);
      }
      text_ += '\n';
      if (text_.size() >= kPiece) TRY_VOID(Flush());
    }
    return {};
  }

  Result<void> Flush() {
    TRY_VOID(sink_(text_));
    text_.clear();
    return {};
  }

 private:
  void AddValue(std::size_t channel, std::int64_t value) {
    if (!differs_[channel]) {
      fmt::format_to(std::back_inserter(text_), "{}", value);
      return;
    }
    const auto before = std::exchange(before_[channel], value);
    if (!before) return;
    // The difference of two 64-bit numbers has 65 bits, so its sign and magnitude are computed
    // separately.
    const auto larger = static_cast<std::uint64_t>(std::max(*before, value));
    const auto smaller = static_cast<std::uint64_t>(std::min(*before, value));
    fmt::format_to(std::back_inserter(text_), "{}{}", value < *before ? "-" : "", larger - smaller);
  }

  const TextSink& sink_;
  std::vector<bool> differs_;
  std::vector<bool> wanted_;
  std::vector<std::optional<std::int64_t>> before_;
  std::string text_;
};

}  // namespace

Result<SeriesOutcome> WriteSeriesCsv(const std::filesystem::path& path,
                                     const SeriesCsvOptions& options, const TextSink& sink) {
  TRY(auto names, SeriesReader::Open(path));
  while (names.Next() != nullptr) continue;
  TRY(auto reader, SeriesReader::Open(path));
  Lines lines(names.Head(), options, sink);
  // A file that has grown since the first pass can have more channels; its new part is not
  // exported.
  while (reader.Outcome().records < names.Outcome().records) {
    const RecordColumns* columns = reader.Next();
    if (columns == nullptr) break;
    TRY_VOID(lines.Take(*columns));
  }
  TRY_VOID(lines.Flush());
  return names.Outcome();
}

Result<SeriesOutcome> WriteSeriesCsvFile(const std::filesystem::path& path,
                                         const SeriesCsvOptions& options,
                                         const std::filesystem::path& csv) {
  TRY(auto file, GrowingFile::Create(csv));
  TRY(auto outcome, WriteSeriesCsv(path, options, [&](std::string_view text) {
        return file.Append(std::as_bytes(std::span(text.data(), text.size())), 0);
      }));
  TRY_VOID(file.Appear());
  TRY_VOID(file.Finish());
  return outcome;
}

}  // namespace tare::format
