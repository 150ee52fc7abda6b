// events_options.cc: parses the options of samples.
#include "cli/commands/events/events_options.h"

#include <fmt/format.h>

#include <charconv>

#include "base/printable.h"

namespace tare::cli {

Result<events::BlockSampling> ParseSampling(const std::string& text) {
  events::BlockSampling sampling;
  const char* const end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, sampling.kept);
  bool good = first.ec == std::errc() && first.ptr != end && *first.ptr == '/';
  if (good) {
    const auto second = std::from_chars(first.ptr + 1, end, sampling.period);
    good = second.ec == std::errc() && second.ptr == end;
  }
  if (good && sampling.kept >= 1 && sampling.kept <= sampling.period) return sampling;
  return Fail(ErrorKind::kUsage,
              fmt::format("--sample {}: expected K/P with K at most P, such as 2000/40000",
                          Printable(text)));
}

}  // namespace tare::cli
