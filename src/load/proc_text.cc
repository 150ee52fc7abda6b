// proc_text.cc: parsers; the texts come from outside and may be anything.
#include "load/proc_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <vector>

#include "base/printable.h"

namespace tare::load {
namespace {

// The part up to `end`, which is taken off `text` with it; all of it when `end` does not occur.
std::string_view TakeUntil(std::string_view& text, char end) {
  const auto at = text.find(end);
  const auto part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  return part;
}

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto word = TakeUntil(text, ' ');
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

template <typename Number>
std::optional<Number> Whole(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string_view Trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::unexpected<Error> BadLine(std::string_view file, std::string_view line) {
  return Fail(ErrorKind::kFormat, fmt::format("{} holds a line that is not understood: {}", file,
                                              Printable(line.substr(0, 120))));
}

}  // namespace

Result<CpuTimes> ParseCpuTimes(std::string_view text) {
  CpuTimes times;
  while (!text.empty()) {
    const auto line = TakeUntil(text, '\n');
    const auto words = Words(line);
    // The line "cpu" without a number is the sum of the others.
    if (words.empty() || !words[0].starts_with("cpu") || words[0].size() == 3) continue;
    const auto core = Whole<unsigned>(words[0].substr(3));
    if (!core || words.size() < 5) return BadLine("/proc/stat", line);
    // user nice system idle iowait irq softirq steal; guest times follow and are part of user.
    std::array<std::uint64_t, 8> columns{};
    for (std::size_t i = 0; i < std::min(columns.size(), words.size() - 1); ++i) {
      const auto ticks = Whole<std::uint64_t>(words[i + 1]);
      if (!ticks) return BadLine("/proc/stat", line);
      columns[i] = *ticks;
    }
    std::uint64_t total = 0;
    for (const auto ticks : columns) total += ticks;
    times[*core] = {total, columns[3] + columns[4], columns[7]};
  }
  if (times.empty()) return Fail(ErrorKind::kFormat, "/proc/stat names no processor");
  return times;
}

double StealShare(const CpuTimes& before, const CpuTimes& after, unsigned core) {
  const auto first = before.find(core);
  const auto second = after.find(core);
  if (first == before.end() || second == after.end()) return 0;
  if (second->second.total <= first->second.total || second->second.steal < first->second.steal) {
    return 0;
  }
  return static_cast<double>(second->second.steal - first->second.steal) /
         static_cast<double>(second->second.total - first->second.total);
}

Result<ProcessStat> ParseProcessStat(std::string_view text) {
  // The name stands in parentheses and may hold spaces and parentheses of its own, so the last one
  // ends it (proc(5)).
  const auto open = text.find('(');
  const auto close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return BadLine("/proc/PID/stat", text);
  }
  const auto words = Words(Trim(text.substr(close + 1)));
  const auto pid = Whole<std::uint64_t>(Trim(text.substr(0, open)));
  // Counted from field 3, the state: 14 and 15 are the times, 19 the nice value, 39 the processor.
  constexpr std::size_t kProcessor = 39 - 3;
  if (!pid || words.size() <= kProcessor) return BadLine("/proc/PID/stat", text);
  const auto user = Whole<std::uint64_t>(words[14 - 3]);
  const auto system = Whole<std::uint64_t>(words[15 - 3]);
  const auto nice = Whole<std::int64_t>(words[19 - 3]);
  const auto processor = Whole<unsigned>(words[kProcessor]);
  if (!user || !system || !nice || !processor) return BadLine("/proc/PID/stat", text);
  return ProcessStat{*pid, std::string(text.substr(open + 1, close - open - 1)), *user + *system,
                     *nice, *processor};
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

std::string CpuModel(std::string_view cpuinfo) {
  std::string implementer;
  std::string part;
  while (!cpuinfo.empty()) {
    auto value = TakeUntil(cpuinfo, '\n');
    const auto key = Trim(TakeUntil(value, ':'));
    value = Trim(value);
    if (key == "model name" && !value.empty()) return std::string(value);
    if (key == "CPU implementer" && implementer.empty()) implementer = value;
    if (key == "CPU part" && part.empty()) part = value;
  }
  if (implementer.empty() && part.empty()) return "unknown processor";
  return fmt::format("Arm implementer {} part {}", implementer, part);
}

}  // namespace tare::load
