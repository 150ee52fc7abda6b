// proxy_measurement.cc: whether both do the same, then times, then counts, then verdicts.
#include "analysis/proxy/proxy_measurement.h"

#include <fmt/format.h>

#include <iterator>

#include "analysis/proxy/counted_pairs.h"
#include "analysis/proxy/hardware_pairs.h"
#include "analysis/proxy/timed_pairs.h"

namespace tare::proxy {
namespace {

constexpr std::string_view kEstimate = "cycles-estimate";

class Measurer {
 public:
  Measurer(const ProxyRequest& request, const host::EngineFiles& files, count::Images& images,
           const Progress& progress)
      : request_(request), files_(files), images_(images), progress_(progress) {}

  Result<ProxyReport> Measure() {
    report_.judged.program = request_.vanilla.path.filename().string();
    TRY_VOID(LookForRegion());
    TRY_VOID(CompareWork());
    TRY_VOID(Time());
    TRY_VOID(CountHardware());
    TRY_VOID(Count());
    return std::move(report_);
  }

 private:
  // Better known before anything is run.
  Result<void> LookForRegion() const {
    if (request_.region.empty()) return {};
    for (const auto* program : {&request_.vanilla, &request_.instrumented}) {
      TRY_VOID(engine::FindRegion(*program, request_.region));
    }
    return {};
  }

  Result<run::Finished> RunOnce(const run::ResolvedProgram& program, std::string_view name) {
    if (!progress_(0, "the programs on their own")) {
      return Fail(ErrorKind::kInterrupted, "stopped by the user");
    }
    run::Setting setting = request_.setting;
    setting.output = run::Output::kCaptured;
    setting.errors = run::Output::kDiscarded;
    run::Hooks hooks;
    hooks.interrupted = request_.interrupted;
    TRY(auto finished, run::RunProgram(program, setting, hooks));
    if (finished.ended.interrupted) return Fail(ErrorKind::kInterrupted, "stopped by the user");
    if (finished.ended.how == run::Ended::How::kTimedOut) {
      return Fail(ErrorKind::kUnsupported, fmt::format("{} did not end within the time-out", name));
    }
    return finished;
  }

  Result<void> CompareWork() {
    TRY(report_.vanilla, RunOnce(request_.vanilla, "the original"));
    TRY(report_.instrumented, RunOnce(request_.instrumented, "the instrumented program"));
    const int status = report_.vanilla.ended.ShellStatus();
    const int other = report_.instrumented.ended.ShellStatus();
    report_.caveats = report_.vanilla.caveats;
    if (status != other) {
      const std::string detail = fmt::format(
          "the instrumented program with status {}, the original with {}", other, status);
      report_.caveats.push_back({CaveatId::kEndingsDiffer, detail});
      report_.other_work.push_back(
          fmt::format("the programs end with different statuses, {} and {}", status, other));
    }
    if (report_.vanilla.output == report_.instrumented.output) return {};
    TRY(const auto again, RunOnce(request_.vanilla, "the original"));
    report_.output_varies = again.output != report_.vanilla.output;
    if (!report_.output_varies) {
      report_.other_work.emplace_back("the programs write different output");
    }
    return {};
  }

  void Take(std::vector<MetricRatio> metrics, const std::vector<std::string>& doubts) {
    std::vector<std::string> all = report_.other_work;
    all.insert(all.end(), doubts.begin(), doubts.end());
    for (MetricRatio& metric : metrics) {
      std::vector<std::string> own = all;
      if (metric.metric == kEstimate) own.emplace_back("estimated by a model, not measured");
      Settle(request_.tolerance, own, metric);
      report_.judged.metrics.push_back(std::move(metric));
    }
  }

  Result<void> Time() {
    TRY(const auto pairs, TimePairs(request_, PartOf(progress_, 0.05, 0.35)));
    report_.pairs = pairs.vanilla.size();
    Take(MetricsOf(pairs, request_.confidence), {});
    return {};
  }

  Result<void> CountHardware() {
    TRY(auto metrics, CountByProcessor(request_, files_, images_, PartOf(progress_, 0.35, 0.4)));
    Take(std::move(metrics), {});
    return {};
  }

  Result<void> Count() {
    TRY(auto pairs, CountPairs(request_, report_.vanilla.ended, report_.instrumented.ended, files_,
                               images_, PartOf(progress_, 0.4, 1)));
    Take(std::move(pairs.metrics), pairs.doubts);
    report_.layouts = pairs.layouts;
    report_.counted = std::move(pairs.runs);
    std::ranges::move(pairs.caveats, std::back_inserter(report_.caveats));
    return {};
  }

  const ProxyRequest& request_;
  const host::EngineFiles& files_;
  count::Images& images_;
  const Progress& progress_;
  ProxyReport report_;
};

}  // namespace

Result<ProxyReport> MeasureProxy(const ProxyRequest& request, const host::EngineFiles& files,
                                 count::Images& images, const Progress& progress) {
  return Measurer(request, files, images, progress).Measure();
}

}  // namespace tare::proxy
