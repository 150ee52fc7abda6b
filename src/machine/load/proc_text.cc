// proc_text.cc: parsers that accept any input, because the text is untrusted.
#include "machine/load/proc_text.h"

#include <fmt/format.h>

#include <limits>

#include "base/file.h"
#include "base/printable.h"
#include "machine/host/kernel_text.h"
#include "machine/host/processor_time.h"

namespace tare::load {
namespace {

// Removes the part up to and including `end` from `text` and returns it without `end`; takes
// everything when `end` does not occur.
std::string_view TakeUntil(std::string_view& text, char end) {
  const auto at = text.find(end);
  const auto part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

std::unexpected<Error> BadLine(std::string_view file, std::string_view line) {
  return Fail(ErrorKind::kFormat,
              fmt::format("{}: cannot parse the line: {}", file, Printable(line.substr(0, 120))));
}

}  // namespace

double StealShare(std::string_view before, std::string_view after, unsigned core) {
  const std::string label = fmt::format("cpu{}", core);
  const auto first = host::ParseProcStat(before, label);
  const auto second = host::ParseProcStat(after, label);
  if (!first || !second) return 0;
  return host::StealShare(host::Between(*first, *second)).value_or(0);
}

std::string StatNow() { return ReadFile("/proc/stat", 1 << 22).value_or(""); }

Result<ProcessStat> ParseProcessStat(std::string_view text) {
  // The name is in parentheses and may itself contain spaces and parentheses, so the last one ends
  // it (proc(5)).
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return BadLine("/proc/PID/stat", text);
  }
  const auto words = host::Words(text.substr(close + 1));
  const auto pid = host::WholeNumber(text.substr(0, open));
  // Fields of proc(5), numbered from field 3, the state: 14 and 15 are the times, 19 is the nice
  // value, 39 the processor.
  constexpr std::size_t kProcessor = 39 - 3;
  if (!pid || words.size() <= kProcessor) return BadLine("/proc/PID/stat", text);
  const auto user = host::WholeNumber(words[14 - 3]);
  const auto system = host::WholeNumber(words[15 - 3]);
  const auto nice = host::SignedNumber(words[19 - 3]);
  const auto processor = host::WholeNumber(words[kProcessor]);
  if (!user || !system || !nice || !processor || *processor > std::numeric_limits<unsigned>::max())
    return BadLine("/proc/PID/stat", text);
  return ProcessStat{*pid, std::string(text.substr(open + 1, close - open - 1)), *user + *system,
                     *nice, static_cast<unsigned>(*processor)};
}

std::string CpuControlGroup(std::string_view text) {
  std::string unified;
  while (!text.empty()) {
    auto line = TakeUntil(text, '\n');
    const auto hierarchy = TakeUntil(line, ':');
    auto controllers = TakeUntil(line, ':');
    if (hierarchy == "0" && controllers.empty()) unified = line;
    while (!controllers.empty()) {
      if (TakeUntil(controllers, ',') == "cpu") return std::string(line);
    }
  }
  return unified;
}

std::string Autogroup(std::string_view text) { return std::string(TakeUntil(text, ' ')); }

}  // namespace tare::load
