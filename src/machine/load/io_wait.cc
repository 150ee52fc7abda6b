// io_wait.cc: delay accounting of threads, and pressure of the machine.
#include "machine/load/io_wait.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "machine/host/kernel_text.h"

namespace tare::load {
namespace {

constexpr std::string_view kPressureFile = "/proc/pressure/io";
constexpr std::string_view kSwitchFile = "/proc/sys/kernel/task_delayacct";
// Deeper trees are cut, in case process numbers are reused while they are read.
constexpr int kMaxDepth = 32;

std::optional<std::uint64_t> TotalOf(std::string_view text, std::string_view kind) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (!line.starts_with(kind)) continue;
    const auto at = line.find("total=");
    if (at == std::string_view::npos) return std::nullopt;
    return host::WholeNumber(line.substr(at + 6));
  }
  return std::nullopt;
}

IoPressure PressureNow(const host::SystemFiles& files) {
  const auto text = files.Text(kPressureFile);
  return text ? ParseIoPressure(*text) : IoPressure{};
}

Measured Elapsed(const std::optional<std::uint64_t>& before,
                 const std::optional<std::uint64_t>& now) {
  if (!before || !now || *now < *before) {
    return Absent(fmt::format("the kernel has no {} (pressure stall information)", kPressureFile));
  }
  Measured seconds = Known(1e-6 * static_cast<double>(*now - *before));
  return Doubtful(std::move(seconds), "of the whole machine, with all programs that ran");
}

}  // namespace

std::optional<std::uint64_t> WaitedTicks(std::string_view stat) {
  const auto close = stat.rfind(')');
  if (close == std::string_view::npos) return std::nullopt;
  const auto words = host::Words(stat.substr(close + 1));
  constexpr std::size_t kDelay = 42 - 3;  // the words begin with field 3
  if (words.size() <= kDelay) return std::nullopt;
  return host::WholeNumber(words[kDelay]);
}

IoPressure ParseIoPressure(std::string_view text) {
  return {TotalOf(text, "some "), TotalOf(text, "full ")};
}

IoWaitMeter::IoWaitMeter(host::SystemFiles files, double tick_seconds)
    : files_(std::move(files)), tick_seconds_(tick_seconds), start_(PressureNow(files_)) {}

void IoWaitMeter::Sample(std::uint64_t process) { SampleProcess(process, 0); }

void IoWaitMeter::SampleProcess(std::uint64_t process, int depth) {
  if (depth > kMaxDepth) return;
  const std::string tasks = fmt::format("/proc/{}/task", process);
  for (const std::string& name : files_.Names(tasks)) {
    const auto thread = host::WholeNumber(name);
    if (!thread) continue;
    const auto stat = files_.Text(fmt::format("{}/{}/stat", tasks, name));
    const auto ticks = stat ? WaitedTicks(*stat) : std::nullopt;
    if (ticks) {
      seen_ = true;
      ticks_[*thread] = *ticks;
    }
    // The children that this thread started.
    const auto children = files_.Text(fmt::format("{}/{}/children", tasks, name));
    if (!children) continue;
    for (const std::string_view word : host::Words(*children)) {
      if (const auto child = host::WholeNumber(word)) SampleProcess(*child, depth + 1);
    }
  }
}

IoWait IoWaitMeter::Read() const {
  IoWait wait;
  const auto on = files_.Whole(kSwitchFile);
  if (on && *on == 0) {
    wait.program = Absent(
        "delay accounting is off; switch it on with sysctl kernel.task_delayacct=1 before the "
        "program starts");
  } else if (!seen_) {
    wait.program = Absent("the program ended before its account could be read");
  } else {
    std::uint64_t ticks = 0;
    for (const auto& [thread, waited] : ticks_) ticks += waited;
    const double seconds = tick_seconds_ * static_cast<double>(ticks);
    wait.program = Known(seconds);
    wait.program.low = seconds;
    // Each thread's account is rounded down to a tick.
    wait.program.high = seconds + tick_seconds_ * static_cast<double>(ticks_.size());
  }
  const IoPressure now = PressureNow(files_);
  wait.machine_some = Elapsed(start_.some_us, now.some_us);
  wait.machine_full = Elapsed(start_.full_us, now.full_us);
  return wait;
}

}  // namespace tare::load
