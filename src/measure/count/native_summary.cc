// native_summary.cc: joins the runs event by event.
#include "measure/count/native_summary.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "stats/interval.h"
#include "stats/summary.h"

namespace tare::count {
namespace {

constexpr const char* kOneRun = "only one run; repeat to see how it varies";

// Adds one run's count, or the reason why it has none.
void AddRun(const pmu::ProgramCount& count, const std::optional<std::uint64_t>& corrected,
            NativeEvent& event) {
  if (!event.absence.empty()) return;
  if (corrected) {
    event.values.push_back(static_cast<double>(*corrected));
  } else if (count.value) {
    event.values.push_back(static_cast<double>(*count.value));
  } else if (count.scaled) {
    event.values.push_back(*count.scaled);
    event.estimated = true;
  } else {
    event.absence = count.absence;
    event.values.clear();
  }
}

NativeEvent Joined(std::string engine, std::size_t index,
                   std::vector<pmu::MetricCount> NativeCounts::* which,
                   std::span<const NativeCounts> runs) {
  const pmu::MetricCount& first = (runs.front().*which)[index];
  NativeEvent event{std::move(engine), first.metric, first.unit};
  for (const NativeCounts& run : runs) {
    CHECK(index < (run.*which).size());
    AddRun((run.*which)[index].count, std::nullopt, event);
  }
  return event;
}

void AddEnergy(std::span<const NativeCounts> runs, std::vector<NativeEvent>& events) {
  const NativeCounts& first = runs.front();
  if (first.energy.empty()) {
    if (first.energy_absence.empty()) return;
    events.push_back(
        {.engine = "system", .event = "energy", .unit = "J", .absence = first.energy_absence});
    return;
  }
  for (std::size_t i = 0; i < first.energy.size(); ++i) {
    NativeEvent event{.engine = "system", .event = "energy-" + first.energy[i].zone, .unit = "J"};
    event.doubt = "of the machine, with everything else that ran meanwhile";
    for (const NativeCounts& run : runs) {
      if (i >= run.energy.size() || !run.energy[i].microjoules) {
        event.values.clear();
        event.absence = "the counter could not be read";
        break;
      }
      event.values.push_back(1e-6 * static_cast<double>(*run.energy[i].microjoules));
    }
    events.push_back(std::move(event));
  }
}

bool AllRunsSame(const std::vector<double>& values) {
  return std::ranges::all_of(values, [&](double value) { return value == values.front(); });
}

Measured MeanOfRatios(const std::vector<double>& ratios, double confidence) {
  if (ratios.size() < 2) return Doubtful(Unbounded(ratios.front()), kOneRun);
  if (AllRunsSame(ratios)) return Known(ratios.front());
  auto mean = stats::MeanInterval(ratios, confidence);
  CHECK(mean.has_value());
  return *std::move(mean);
}

// Events per second of `clock`, whose values are nanoseconds.
Measured RatePerSecond(const NativeEvent* event, const NativeEvent* clock, double confidence) {
  if (event == nullptr) return Absent("the hardware was not asked; add --engine hardware,kernel");
  if (event->values.empty()) return Absent(event->absence);
  if (clock == nullptr) return Absent("the time was not counted; add --engine hardware,kernel");
  if (clock->values.empty()) return Absent(clock->absence);
  std::vector<double> rates;
  for (std::size_t i = 0; i < event->values.size() && i < clock->values.size(); ++i) {
    if (clock->values[i] <= 0) return Absent("a run took no processor time");
    rates.push_back(event->values[i] / (clock->values[i] * 1e-9));
  }
  Measured rate = MeanOfRatios(rates, confidence);
  if (event->estimated) rate = Doubtful(std::move(rate), "an estimate: events were multiplexed");
  return rate;
}

bool CountsKernel(const NativeCounts& run, const std::string& metric) {
  const auto found = std::ranges::find(run.hardware, metric, &pmu::MetricCount::metric);
  return found != run.hardware.end() && found->count.with_kernel;
}

}  // namespace

NativeRates RatesOf(std::span<const NativeCounts> runs, double confidence) {
  const auto events = NativeEventsOf(runs);
  const auto find = [&](std::string_view engine, std::string_view name) {
    const auto found = std::ranges::find_if(events, [&](const NativeEvent& event) {
      return event.engine == engine && event.event == name;
    });
    return found == events.end() ? nullptr : &*found;
  };
  const NativeEvent* clock = find("kernel", "task-clock");
  NativeRates rates{RatePerSecond(find("hardware", "cycles"), clock, confidence),
                    RatePerSecond(find("hardware", "interrupts"), clock, confidence)};
  rates.clock_mhz = WithUnit("MHz", Scaled(rates.clock_mhz, 1e-6));
  rates.interrupts_per_second = WithUnit("1/s", std::move(rates.interrupts_per_second));
  const bool user_only = std::ranges::any_of(
      runs, [](const NativeCounts& run) { return !CountsKernel(run, "cycles"); });
  if (rates.clock_mhz.value && user_only) {
    rates.clock_mhz = Doubtful(std::move(rates.clock_mhz),
                               "cycles are those of user mode, the time includes the kernel's");
  }
  return rates;
}

std::vector<NativeEvent> NativeEventsOf(std::span<const NativeCounts> runs) {
  std::vector<NativeEvent> events;
  if (runs.empty()) return events;
  for (std::size_t i = 0; i < runs.front().more.size(); ++i) {
    NativeEvent event{"requested", runs.front().more[i].name};
    for (const NativeCounts& run : runs) AddRun(run.more[i], std::nullopt, event);
    events.push_back(std::move(event));
  }
  for (std::size_t i = 0; i < runs.front().kernel.size(); ++i) {
    events.push_back(Joined("kernel", i, &NativeCounts::kernel, runs));
  }
  for (std::size_t i = 0; i < runs.front().hardware.size(); ++i) {
    if (runs.front().hardware[i].metric == "page-faults") continue;
    events.push_back(Joined("hardware", i, &NativeCounts::hardware, runs));
  }
  AddEnergy(runs, events);
  return events;
}

std::optional<NativeEvent> HardwareEvent(std::span<const NativeCounts> runs,
                                         const std::string& metric) {
  std::optional<NativeEvent> event;
  for (const NativeCounts& run : runs) {
    const auto found = std::ranges::find(run.hardware, metric, &pmu::MetricCount::metric);
    if (found == run.hardware.end()) return std::nullopt;
    if (!event) event = NativeEvent{"hardware", metric, found->unit};
    AddRun(found->count, found->corrected, *event);
  }
  return event;
}

Measured MeanOfRuns(const NativeEvent& event, double confidence) {
  if (event.values.empty()) return Absent(event.absence);
  Measured mean;
  const bool one = event.values.size() < 2;
  const bool whole = event.values.front() == std::floor(event.values.front());
  if (!event.estimated && whole && AllRunsSame(event.values)) {
    mean = Exact(static_cast<std::int64_t>(event.values.front()));
    if (one) mean.exact = false;
  } else if (one) {
    mean = Unbounded(event.values.front());
  } else {
    auto interval = stats::MeanInterval(event.values, confidence);
    CHECK(interval.has_value());
    mean = *std::move(interval);
    mean.low = std::max(0.0, mean.Low());  // nothing is counted less than never
  }
  if (event.estimated)
    mean = Doubtful(std::move(mean), "an estimate: the events were multiplexed");
  else if (one)
    mean = Doubtful(std::move(mean), kOneRun);
  else if (!event.doubt.empty())
    mean = Doubtful(std::move(mean), event.doubt);
  return WithUnit(event.unit, std::move(mean));
}

Spread SpreadOfRuns(const NativeEvent& event) {
  if (event.values.empty()) return {Absent(event.absence), Absent(event.absence)};
  if (event.values.size() < 2) return {Absent("one run"), Absent("one run")};
  const auto summary = stats::Summarize(event.values);
  CHECK(summary.has_value());
  Spread spread{WithUnit(event.unit, Unbounded(summary->standard_deviation)),
                Absent("the mean is 0")};
  if (summary->mean != 0) spread.variation = Unbounded(summary->coefficient_of_variation);
  return spread;
}

CycleRatios CycleRatiosOf(const NativeEvent& cycles, const NativeEvent& instructions,
                          double confidence) {
  for (const NativeEvent* event : {&cycles, &instructions}) {
    if (event->values.empty()) return {Absent(event->absence), Absent(event->absence)};
  }
  CHECK(cycles.values.size() == instructions.values.size());
  std::vector<double> cpi;
  std::vector<double> ipc;
  for (std::size_t i = 0; i < cycles.values.size(); ++i) {
    if (cycles.values[i] <= 0 || instructions.values[i] <= 0) {
      return {Absent("a count is 0"), Absent("a count is 0")};
    }
    cpi.push_back(cycles.values[i] / instructions.values[i]);
    ipc.push_back(instructions.values[i] / cycles.values[i]);
  }
  CycleRatios ratios{MeanOfRatios(cpi, confidence), MeanOfRatios(ipc, confidence)};
  if (cycles.estimated || instructions.estimated) {
    constexpr const char* kMultiplexed = "an estimate: the events were multiplexed";
    ratios.cpi = Doubtful(std::move(ratios.cpi), kMultiplexed);
    ratios.ipc = Doubtful(std::move(ratios.ipc), kMultiplexed);
  }
  return ratios;
}

}  // namespace tare::count
