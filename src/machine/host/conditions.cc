// conditions.cc: reading and parsing each condition from /proc and /sys.
#include "machine/host/conditions.h"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <limits>

#include "base/printable.h"
#include "machine/host/kernel_text.h"

namespace tare::host {
namespace {

// Reads `path` and parses it; `what` names the missing item in the reason.
template <typename Parse>
auto ReadParsed(const SystemFiles& files, std::string_view path, std::string_view what, Parse parse)
    -> Reading<typename decltype(parse(std::string_view()))::value_type> {
  const auto text = files.Text(path);
  if (!text) return std::unexpected(text.error());
  auto parsed = parse(std::string_view(*text));
  if (!parsed) return std::unexpected(fmt::format("{} has no {}", path, what));
  return *parsed;
}

Reading<bool> ReadFlag(const SystemFiles& files, std::string_view path) {
  const auto number = files.Whole(path);
  if (!number) return std::unexpected(number.error());
  return *number != 0;
}

std::optional<bool> ReadTurbo(const SystemFiles& files) {
  if (const auto off = ReadFlag(files, "/sys/devices/system/cpu/intel_pstate/no_turbo")) {
    return !*off;
  }
  if (const auto on = ReadFlag(files, "/sys/devices/system/cpu/cpufreq/boost")) return *on;
  return std::nullopt;
}

Reading<Frequency> ReadFrequency(const SystemFiles& files) {
  constexpr std::string_view kDirectory = "/sys/devices/system/cpu/cpufreq";
  Frequency frequency;
  for (const std::string& policy : files.Names(kDirectory)) {
    if (!policy.starts_with("policy")) continue;
    const auto governor = files.Line(fmt::format("{}/{}/scaling_governor", kDirectory, policy));
    if (!governor || governor->empty()) continue;
    if (frequency.governor.empty()) {
      frequency.governor = *governor;
      frequency.driver =
          files.Line(fmt::format("{}/{}/scaling_driver", kDirectory, policy)).value_or("");
    } else if (frequency.governor != *governor) {
      frequency.governor = "mixed";
    }
  }
  if (frequency.governor.empty()) {
    return std::unexpected("the kernel does not control the frequency here");
  }
  frequency.turbo = ReadTurbo(files);
  return frequency;
}

Reading<ClockSource> ReadClockSource(const SystemFiles& files) {
  constexpr std::string_view kDirectory = "/sys/devices/system/clocksource/clocksource0";
  const auto current = files.Line(fmt::format("{}/current_clocksource", kDirectory));
  if (!current) return std::unexpected(current.error());
  if (current->empty()) return std::unexpected("the kernel reports no clock source");
  ClockSource source{.current = *current, .available = {}};
  const auto available =
      files.Line(fmt::format("{}/available_clocksource", kDirectory)).value_or("");
  for (std::string_view name : Words(available)) source.available.emplace_back(name);
  return source;
}

Reading<Isolation> ReadIsolation(const SystemFiles& files) {
  const auto list = [&](std::string_view path) -> Reading<std::string> {
    auto line = files.Line(path);
    if (!line) return line;
    const auto count = ListedProcessors(*line);
    if (!count) return std::unexpected(fmt::format("{} is not a list of processors", path));
    return *count == 0 ? "" : *line;
  };
  auto isolated = list("/sys/devices/system/cpu/isolated");
  auto tickless = list("/sys/devices/system/cpu/nohz_full");
  if (!isolated && !tickless) return std::unexpected(isolated.error());
  return Isolation{.isolated = isolated.value_or(""), .tickless = tickless.value_or("")};
}

Reading<std::string> ReadTransparentHugePages(const SystemFiles& files) {
  return ReadParsed(files, "/sys/kernel/mm/transparent_hugepage/enabled", "selected value",
                    [](std::string_view text) -> std::optional<std::string> {
                      const auto chosen = Chosen(text);
                      if (!chosen) return std::nullopt;
                      return Printable(*chosen);
                    });
}

Reading<Pressure> ReadPressure(const SystemFiles& files, std::string_view resource) {
  return ReadParsed(files, fmt::format("/proc/pressure/{}", resource), "pressure", ParsePressure);
}

DiskSpace ReadDisk(const SystemFiles& files, const std::filesystem::path& directory) {
  const auto place = directory.is_absolute() ? files.Place(directory.string()) : directory;
  struct statvfs space{};
  if (::statvfs(place.c_str(), &space) != 0) {
    return {directory, std::unexpected(
                           fmt::format("there is no directory {}", Printable(directory.string())))};
  }
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(std::uint64_t{space.f_bavail}, std::uint64_t{space.f_frsize},
                             &bytes)) {
    bytes = std::numeric_limits<std::uint64_t>::max();
  }
  return {directory, bytes};
}

// "24643328 kB" converted to bytes.
std::optional<std::uint64_t> Kilobytes(std::string_view text, std::string_view key) {
  const auto value = ValueOf(text, key);
  const auto words = Words(value.value_or(""));
  if (words.size() != 2 || words[1] != "kB") return std::nullopt;
  const auto number = WholeNumber(words[0]);
  if (!number || *number > std::numeric_limits<std::uint64_t>::max() / 1024) return std::nullopt;
  return *number * 1024;
}

}  // namespace

std::optional<Load> ParseLoadavg(std::string_view text) {
  const auto words = Words(text);
  if (words.size() < 4) return std::nullopt;
  const auto one = PositiveReal(words[0]);
  const auto five = PositiveReal(words[1]);
  const auto fifteen = PositiveReal(words[2]);
  const auto running = WholeNumber(words[3].substr(0, words[3].find('/')));
  if (!one || !five || !fifteen || !running) return std::nullopt;
  return Load{
      .one_minute = *one, .five_minutes = *five, .fifteen_minutes = *fifteen, .running = *running};
}

std::optional<Memory> ParseMeminfo(std::string_view text) {
  const auto total = Kilobytes(text, "MemTotal");
  auto available = Kilobytes(text, "MemAvailable");
  if (!available) available = Kilobytes(text, "MemFree");  // MemAvailable appeared in Linux 3.14
  if (!total || !available) return std::nullopt;
  const auto swap_total = Kilobytes(text, "SwapTotal").value_or(0);
  const auto swap_free = Kilobytes(text, "SwapFree").value_or(0);
  return Memory{
      .total_bytes = *total,
      .available_bytes = *available,
      .swap_used_bytes = swap_total > swap_free ? swap_total - swap_free : 0,
      .huge_pages = WholeNumber(ValueOf(text, "HugePages_Total").value_or("")).value_or(0),
      .huge_pages_free = WholeNumber(ValueOf(text, "HugePages_Free").value_or("")).value_or(0),
      .huge_page_bytes = Kilobytes(text, "Hugepagesize").value_or(0)};
}

std::optional<Pressure> ParsePressure(std::string_view text) {
  for (std::string_view line : Lines(text)) {
    const auto words = Words(line);
    if (words.empty() || words[0] != "some") continue;
    for (std::string_view word : words) {
      if (!word.starts_with("avg10=")) continue;
      const auto percent = PositiveReal(word.substr(word.find('=') + 1));
      if (percent) return Pressure{*percent / 100};
    }
  }
  return std::nullopt;
}

std::optional<Seccomp> ParseSeccomp(std::string_view status) {
  const auto mode = WholeNumber(ValueOf(status, "Seccomp").value_or(""));
  if (!mode || *mode > 2) return std::nullopt;
  return static_cast<Seccomp>(*mode);
}

std::optional<Privileges> ParsePrivileges(std::string_view status) {
  const auto bits = HexNumber(ValueOf(status, "CapEff").value_or(""));
  if (!bits) return std::nullopt;
  // Bit numbers from <linux/capability.h>.
  const auto has = [&](unsigned number) { return ((*bits >> number) & 1) != 0; };
  return Privileges{.count_all = has(38) || has(21), .trace_all = has(19)};
}

Conditions ReadConditions(const SystemFiles& files, const ConditionOptions& options) {
  const auto before = ReadProcessorTimes(files);
  Reading<ProcessorTimes> now = std::unexpected("not sampled");
  if (!before) {
    now = before;
  } else if (options.wait) {
    options.wait();
    const auto after = ReadProcessorTimes(files);
    now = after ? Reading<ProcessorTimes>(Between(*before, *after)) : after;
  }
  std::vector<DiskSpace> disks;
  for (const auto& directory : options.directories) disks.push_back(ReadDisk(files, directory));
  return {
      .perf_event_paranoid = files.Signed("/proc/sys/kernel/perf_event_paranoid"),
      .ptrace_scope = files.Signed("/proc/sys/kernel/yama/ptrace_scope"),
      .seccomp = ReadParsed(files, "/proc/self/status", "seccomp mode", ParseSeccomp),
      .privileges = ReadParsed(files, "/proc/self/status", "capabilities", ParsePrivileges),
      .randomize_va_space = files.Whole("/proc/sys/kernel/randomize_va_space"),
      .frequency = ReadFrequency(files),
      .smt_active = ReadFlag(files, "/sys/devices/system/cpu/smt/active"),
      .transparent_huge_pages = ReadTransparentHugePages(files),
      .clock_source = ReadClockSource(files),
      .nmi_watchdog = ReadFlag(files, "/proc/sys/kernel/nmi_watchdog"),
      .load = ReadParsed(files, "/proc/loadavg", "load", ParseLoadavg),
      .times_since_boot = before,
      .times_now = now,
      .memory = ReadParsed(files, "/proc/meminfo", "memory", ParseMeminfo),
      .isolation = ReadIsolation(files),
      .cpu_pressure = ReadPressure(files, "cpu"),
      .memory_pressure = ReadPressure(files, "memory"),
      .io_pressure = ReadPressure(files, "io"),
      .control_group = ReadControlGroup(files),
      .disks = std::move(disks),
  };
}

}  // namespace tare::host
