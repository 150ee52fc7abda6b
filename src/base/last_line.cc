// last_line.cc: lines from the end backwards.
#include "base/last_line.h"

#include "base/printable.h"

namespace tare {
namespace {

constexpr std::size_t kLongest = 300;

// "tare 0.1.0 · host (model) · ..."
bool ClosesReport(std::string_view line) {
  constexpr std::string_view kName = "tare ";
  return line.starts_with(kName) && line.find(" · ") != std::string_view::npos &&
         line.substr(kName.size(), 1).find_first_of("0123456789") == 0;
}

}  // namespace

std::string LastLine(std::string_view messages) {
  for (;;) {
    const std::size_t end = messages.find_last_not_of(" \n");
    if (end == std::string_view::npos) return {};
    messages = messages.substr(0, end + 1);
    const std::size_t before = messages.rfind('\n');
    const bool is_first = before == std::string_view::npos;
    const std::string_view line = is_first ? messages : messages.substr(before + 1);
    if (is_first || !ClosesReport(line)) return Printable(line.substr(0, kLongest));
    messages = messages.substr(0, before);
  }
}

}  // namespace tare
