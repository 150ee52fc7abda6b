// hardware_pairs.cc: a few pairs of runs with all hardware events that can be opened.
#include "analysis/proxy/hardware_pairs.h"
#include "base/stop.h"

#include <algorithm>
#include <utility>

namespace tare::proxy {
namespace {

// The minimum for a 95 % interval of the median.
constexpr std::size_t kPairs = 6;

class ProcessorCounts {
 public:
  ProcessorCounts(const ProxyRequest& request, const host::EngineFiles& files,
                  count::Images& images, const Progress& progress)
      : request_(request), files_(files), images_(images), progress_(progress) {}

  Result<std::vector<MetricRatio>> All() {
    for (std::size_t pair = 0; pair < kPairs; ++pair) {
      const double fraction = static_cast<double>(pair) / static_cast<double>(kPairs);
      if (!progress_(fraction, "reading the hardware counters")) {
        return Stopped();
      }
      const bool instrumented_first = pair % 2 == 1;
      TRY_VOID(RunOnce(instrumented_first));
      if (NothingCounts()) break;
      TRY_VOID(RunOnce(!instrumented_first));
    }
    for (MetricRatio& metric : metrics_) {
      if (metric.ratio.reason.empty()) TakePairs(request_.confidence, metric);
    }
    return std::move(metrics_);
  }

 private:
  bool NothingCounts() const {
    return std::ranges::none_of(
        metrics_, [](const MetricRatio& metric) { return metric.ratio.reason.empty(); });
  }

  Result<void> RunOnce(bool instrumented) {
    count::CountRequest counting;
    counting.program = instrumented ? request_.instrumented : request_.vanilla;
    counting.setting = request_.setting;
    counting.children = request_.children;
    counting.more_events = request_.events;
    counting.interrupted = request_.interrupted;
    TRY(auto report, count::CountProgram(counting, files_, images_, NoProgress));
    const auto native = std::move(report.native).value_or(count::NativeCounts{});
    for (const pmu::MetricCount& counted : native.hardware) {
      // The kernel reports page faults as well, and interrupts do not belong to the program.
      if (counted.metric == "page-faults" || counted.metric == "interrupts") continue;
      Add(std::string(kHardwarePrefix) + counted.metric, counted.unit, counted.count,
          counted.corrected, instrumented);
    }
    for (const pmu::ProgramCount& counted : native.more) {
      Add(std::string(kEventPrefix) + counted.name, "", counted, std::nullopt, instrumented);
    }
    return {};
  }

  // A metric that is missing in one run is treated as absent.
  void Add(const std::string& name, const std::string& unit, const pmu::ProgramCount& counted,
           const std::optional<std::uint64_t>& corrected, bool instrumented) {
    auto metric = std::ranges::find(metrics_, name, &MetricRatio::metric);
    if (metric == metrics_.end()) {
      metrics_.push_back({name, Source::kHardware, unit});
      metric = metrics_.end() - 1;
    }
    const auto value = corrected ? corrected : counted.value;
    if (!value) {
      metric->ratio = Absent(counted.absence);
      return;
    }
    auto& amounts = instrumented ? metric->instrumented : metric->vanilla;
    amounts.push_back(static_cast<double>(*value));
  }

  const ProxyRequest& request_;
  const host::EngineFiles& files_;
  count::Images& images_;
  const Progress& progress_;
  std::vector<MetricRatio> metrics_;
};

}  // namespace

Result<std::vector<MetricRatio>> CountByProcessor(const ProxyRequest& request,
                                                  const host::EngineFiles& files,
                                                  count::Images& images, const Progress& progress) {
  return ProcessorCounts(request, files, images, progress).All();
}

}  // namespace tare::proxy
