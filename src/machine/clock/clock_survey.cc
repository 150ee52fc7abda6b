// clock_survey.cc: combining the measurements of one clock.
#include "machine/clock/clock_survey.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/units.h"
#include "machine/clock/rollover.h"

namespace tare::clock {
namespace {

Result<ClockReport> MeasureClock(const Clock& clock, const CostConfig& cost,
                                 const OrderConfig& order, const Progress& progress) {
  ClockReport report{};
  report.clock = &clock;
  report.access = FindAccess(clock);
  report.nominal_resolution = NominalResolution(clock);
  TRY(report.cost, MeasureClockCost(clock, cost, progress));
  report.caveats = report.cost.caveats;
  const auto across = MeasureOrder(clock, order);
  if (across) {
    report.across_cores = *across;
  } else {
    report.no_order = across.error().message;
  }
  const double tick = report.cost.tick.Value();
  // Readings that are not ordered with other instructions may change places with the handover.
  if (across && across->backward > 0 && clock.ordered) {
    report.caveats.push_back(
        {CaveatId::kClockWentBack,
         fmt::format("{}: {} of {} readings passed between cores, by up to {}", clock.name,
                     across->backward, across->hand_overs,
                     LongDuration(static_cast<double>(across->worst_ticks) * tick))});
  }
  report.counter_seconds = clock.counter_seconds > 0 ? clock.counter_seconds : tick;
  report.bits = CounterBits(clock, tick);
  report.rollover_seconds = RolloverSeconds(report.counter_seconds, report.bits);
  report.long_enough = IntervalLongEnough(report.cost.overhead.Value(), report.cost.resolution);
  return report;
}

}  // namespace

Result<std::vector<ClockReport>> MeasureClocks(std::span<const ClockId> clocks,
                                               const CostConfig& cost, const OrderConfig& order,
                                               const Progress& progress) {
  for (const ClockId id : clocks) TRY_VOID(Availability(Row(id)));
  std::vector<ClockReport> reports;
  const double share = 1.0 / static_cast<double>(std::max<std::size_t>(clocks.size(), 1));
  for (const ClockId id : clocks) {
    const double done = share * static_cast<double>(reports.size());
    const Progress part = [&](double fraction, std::string_view what) {
      return progress(done + share * fraction, what);
    };
    TRY(auto report, MeasureClock(Row(id), cost, order, part));
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace tare::clock
