// system_log_clock.cc: reads, changes and stores the clock readings in a log.
#include "format/system_log_clock.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <optional>

namespace tare::format {
namespace {

struct LoggedClock {
  std::int64_t units = 0;  // units per second
  bool in_result = false;  // the call returns the time
  bool split = false;      // seconds and units in two words
  bool starts_later = true;
};

std::optional<LoggedClock> ClockOf(const SystemLogStream& stream) {
  if (stream.kind != SystemLogKind::kTime) return std::nullopt;
  const bool processor_time =
      stream.key == CLOCK_PROCESS_CPUTIME_ID || stream.key == CLOCK_THREAD_CPUTIME_ID;
  if (stream.call == SYS_clock_gettime)
    return LoggedClock{1'000'000'000, false, true, !processor_time};
  if (stream.call == SYS_gettimeofday) return LoggedClock{1'000'000, false, true};
  if (stream.call == SYS_times) return LoggedClock{sysconf(_SC_CLK_TCK), true};
#if defined(SYS_time)
  if (stream.call == SYS_time) return LoggedClock{1, true};
#endif
  // The frequency of the processor's counter is unknown; any number of units changes its start.
  if (stream.call == TARE_SYSTEM_LOG_CLOCK_INSTRUCTION) return LoggedClock{1'000'000, false};
  return std::nullopt;
}

class Rewriter {
 public:
  Rewriter(std::string& bytes, const LoggedClock& clock) : bytes_(bytes), clock_(clock) {}

  std::optional<std::int64_t> TimeOf(const SystemLogInput& input) const {
    if (input.result < 0) return std::nullopt;
    if (clock_.in_result) return input.result;
    std::array<std::int64_t, 2> words{};
    const std::size_t wanted = clock_.split ? 16 : 8;
    if (input.bytes < wanted) return std::nullopt;
    std::memcpy(words.data(), bytes_.data() + input.place, wanted);
    return clock_.split ? words[0] * clock_.units + words[1] : words[0];
  }

  void Store(const SystemLogInput& input, std::int64_t time) {
    if (clock_.in_result) {
      // The result is in the record, before the payload.
      const std::size_t place =
          input.place - sizeof(tare_system_log_record) + offsetof(tare_system_log_record, result);
      std::memcpy(bytes_.data() + place, &time, sizeof time);
      // time(2) also stores the time in memory; the structure of times(2) contains other values.
      if (input.bytes == sizeof time) std::memcpy(bytes_.data() + input.place, &time, sizeof time);
      return;
    }
    const std::array<std::int64_t, 2> words = {clock_.split ? time / clock_.units : time,
                                               time % clock_.units};
    std::memcpy(bytes_.data() + input.place, words.data(), clock_.split ? 16 : 8);
  }

 private:
  std::string& bytes_;
  const LoggedClock& clock_;
};

}  // namespace

std::string WithClocks(const SystemLog& system_log, const ClockChange& change) {
  std::string bytes = system_log.bytes;
  for (const SystemLogStream& stream : system_log.streams) {
    const auto clock = ClockOf(stream);
    if (!clock) continue;
    Rewriter rewriter(bytes, *clock);
    std::optional<std::int64_t> first;
    for (const SystemLogInput& input : stream.inputs) {
      const auto time = rewriter.TimeOf(input);
      if (!time) continue;
      if (!first) first = time;
      const auto since = static_cast<std::int64_t>(
          std::llround(static_cast<double>(*time - *first) * change.stretch));
      const std::int64_t later = clock->starts_later ? change.later_seconds * clock->units : 0;
      rewriter.Store(input, *first + later + since);
    }
  }
  return bytes;
}

}  // namespace tare::format
