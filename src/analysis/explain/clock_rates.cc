// clock_rates.cc: divides cycles by seconds for each program.
#include "analysis/explain/clock_rates.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "stats/sample.h"

namespace tare::explain {
namespace {

std::optional<double> Event(const Program& program, std::string_view name) {
  const auto found = program.causes.find({CauseKind::kEvent, std::string(name)});
  if (found == program.causes.end() || !(found->second > 0)) return std::nullopt;
  return found->second;
}

struct Clock {
  std::vector<double> mhz;
  std::optional<double> stated;
  bool seconds = false;
  bool cycles = false;
};

ClockRow RowOf(const std::string& machine, const Clock& clock, double confidence) {
  ClockRow row;
  row.machine = machine;
  row.programs = clock.mhz.size();
  row.stated = clock.stated;
  if (clock.mhz.empty()) {
    row.absence =
        clock.cycles ? "no program has both cycles and seconds" : "no program has cycle counts";
    return row;
  }
  const stats::Moments moments = stats::MomentsOf(clock.mhz);
  const auto interval = stats::MeanInterval(clock.mhz, confidence);
  row.mhz = interval ? *interval : Unbounded(moments.mean);
  if (clock.mhz.size() > 1) row.deviation = moments.standard_deviation;
  if (clock.stated) row.error = ClockError(*clock.stated, moments.mean);
  return row;
}

}  // namespace

double ClockError(double stated, double derived) {
  return 100 * std::abs(derived - stated) / stated;
}

std::vector<ClockRow> ClockRows(std::span<const Program> programs, double confidence) {
  std::map<std::string, Clock> clocks;
  for (const Program& program : programs) {
    const auto seconds = Event(program, kSeconds);
    const auto cycles = Event(program, kCycles);
    Clock& clock = clocks[program.machine];
    if (const auto stated = Event(program, kStatedMhz)) clock.stated = stated;
    clock.seconds = clock.seconds || seconds;
    clock.cycles = clock.cycles || cycles;
    if (seconds && cycles) clock.mhz.push_back(*cycles / *seconds / 1e6);
  }
  std::vector<ClockRow> rows;
  for (const auto& [machine, clock] : clocks) {
    if (!clock.seconds && !clock.cycles && !clock.stated) continue;
    rows.push_back(RowOf(machine, clock, confidence));
  }
  return rows;
}

}  // namespace tare::explain
