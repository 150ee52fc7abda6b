// processor_time.cc: parsing the cpu lines of /proc/stat.
#include "machine/host/processor_time.h"

#include <array>

#include "machine/host/kernel_text.h"

namespace tare::host {
namespace {

std::uint64_t Difference(std::uint64_t before, std::uint64_t after) {
  return after > before ? after - before : 0;
}

std::optional<double> Share(std::uint64_t part, const ProcessorTimes& times) {
  const std::uint64_t total = times.Total();
  if (total == 0) return std::nullopt;
  return static_cast<double>(part) / static_cast<double>(total);
}

}  // namespace

std::optional<ProcessorTimes> ParseProcStat(std::string_view text, std::string_view label) {
  for (std::string_view line : Lines(text)) {
    const auto words = Words(line);
    if (words.empty() || words[0] != label) continue;
    // proc(5): user nice system idle iowait irq softirq steal guest guest_nice; user already
    // includes guest time.
    constexpr std::size_t kColumns = 8;
    constexpr std::size_t kOldestColumns = 4;
    // A machine with 65536 processors reaches this after 140 years at 1000 ticks per second.
    constexpr std::uint64_t kMaxTicks = std::uint64_t{1} << 58;
    if (words.size() < kOldestColumns + 1) return std::nullopt;
    std::array<std::uint64_t, kColumns> ticks{};
    for (std::size_t i = 0; i < kColumns && i + 1 < words.size(); ++i) {
      const auto number = WholeNumber(words[i + 1]);
      if (!number || *number > kMaxTicks) return std::nullopt;
      ticks[i] = *number;
    }
    return ProcessorTimes{.busy = ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6],
                          .idle = ticks[3] + ticks[4],
                          .steal = ticks[7]};
  }
  return std::nullopt;
}

Reading<ProcessorTimes> ReadProcessorTimes(const SystemFiles& files) {
  const auto text = files.Text("/proc/stat");
  if (!text) return std::unexpected(text.error());
  const auto times = ParseProcStat(*text);
  if (!times) return std::unexpected("/proc/stat has no line for all processors");
  return *times;
}

ProcessorTimes Between(const ProcessorTimes& before, const ProcessorTimes& after) {
  return {.busy = Difference(before.busy, after.busy),
          .idle = Difference(before.idle, after.idle),
          .steal = Difference(before.steal, after.steal)};
}

std::optional<double> StealShare(const ProcessorTimes& times) { return Share(times.steal, times); }
std::optional<double> BusyShare(const ProcessorTimes& times) { return Share(times.busy, times); }

}  // namespace tare::host
