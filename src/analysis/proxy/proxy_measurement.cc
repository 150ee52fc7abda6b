// proxy_measurement.cc: compares the work of both programs, then measures times and counts and
// judges them.
#include "analysis/proxy/proxy_measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "analysis/proxy/counted_pairs.h"
#include "analysis/proxy/hardware_pairs.h"
#include "analysis/proxy/timed_pairs.h"
#include "base/stop.h"
#include "measure/run/reference.h"

namespace tare::proxy {
namespace {

constexpr std::string_view kEstimate = "cycles-estimate";

class Measurer {
 public:
  Measurer(const ProxyRequest& request, const host::EngineFiles& files, count::Images& images,
           const Progress& progress)
      : request_(request), files_(files), images_(images), progress_(progress) {}

  Result<ProxyReport> Measure() {
    report_.ratios.program = request_.vanilla.path.filename().string();
    TRY_VOID(LookForRegion());
    TRY_VOID(CompareWork());
    report_.setting = request_.setting;
    TRY_VOID(Time());
    TRY_VOID(CountHardware());
    TRY_VOID(Count());
    return std::move(report_);
  }

 private:
  // Fails early, before anything runs.
  Result<void> LookForRegion() const {
    if (request_.region.empty()) return {};
    for (const auto* program : {&request_.vanilla, &request_.instrumented}) {
      TRY_VOID(engine::FindRegion(*program, request_.region));
    }
    return {};
  }

  Result<run::Finished> RunOnce(const run::ResolvedProgram& program, std::string_view name,
                                run::Setting setting) {
    if (!progress_(0, "running both programs natively")) {
      return Stopped();
    }
    setting.output = run::Output::kCaptured;
    setting.errors = run::Output::kDiscarded;
    run::Hooks hooks;
    hooks.interrupted = request_.interrupted;
    TRY(auto finished, run::RunProgram(program, setting, hooks));
    if (finished.ended.interrupted) return Stopped();
    if (finished.ended.how == run::Ended::How::kTimedOut) {
      return Fail(ErrorKind::kUnsupported, fmt::format("{} did not exit within the timeout", name));
    }
    return finished;
  }

  // A control that one program does not support is dropped for both.
  Result<run::Finished> FindReference(const run::ResolvedProgram& program, std::string_view name) {
    run::ReferencePlan plan;
    plan.setting = request_.setting;
    plan.run_plain = [&](const run::Setting& setting) { return RunOnce(program, name, setting); };
    plan.run_controlled = plan.run_plain;
    TRY(auto reference, run::FindReference(plan));
    request_.setting = std::move(reference.setting);
    report_.control_dropped = report_.control_dropped || reference.control_dropped;
    for (Caveat& caveat : reference.caveats) {
      if (caveat.key == CaveatId::kControlDropped) {
        caveat.detail = fmt::format("{}: {}", name, caveat.detail);
      }
      const auto same = [&](const Caveat& other) {
        return other.key == caveat.key && other.detail == caveat.detail;
      };
      if (std::ranges::none_of(report_.caveats, same)) report_.caveats.push_back(caveat);
    }
    return std::move(reference.finished);
  }

  Result<void> CompareWork() {
    TRY(report_.vanilla, FindReference(request_.vanilla, "the vanilla program"));
    TRY(report_.instrumented, FindReference(request_.instrumented, "the instrumented program"));
    const int status = report_.vanilla.ended.ShellStatus();
    const int other = report_.instrumented.ended.ShellStatus();
    if (status != other) {
      const std::string detail = fmt::format(
          "status {} of the instrumented program, {} of the vanilla program", other, status);
      report_.caveats.push_back({CaveatId::kExitStatusVaries, detail});
      report_.other_work.push_back(
          fmt::format("the exit statuses of the programs differ: {} and {}", status, other));
    }
    if (report_.vanilla.output == report_.instrumented.output) return {};
    TRY(const auto again,
        RunOnce(request_.vanilla, "the vanilla program", run::WithoutControl(request_.setting)));
    report_.output_varies = again.output != report_.vanilla.output;
    if (!report_.output_varies) {
      report_.other_work.emplace_back("the programs write different output");
    }
    return {};
  }

  // A doubt, if the metric's event failed its self-test.
  std::optional<std::string> FailedTestOf(const MetricRatio& metric) const {
    if (!request_.failed_test) return std::nullopt;
    std::optional<std::string> failure;
    std::string_view event = metric.metric;
    if (metric.source == Source::kHardware) {
      for (const std::string_view prefix : {kHardwarePrefix, kEventPrefix}) {
        if (event.starts_with(prefix)) event.remove_prefix(prefix.size());
      }
      failure = request_.failed_test(std::array<std::string, 2>{"hardware", "kernel"}, event);
    } else if (metric.source == Source::kEngine || metric.source == Source::kModel) {
      failure = request_.failed_test(std::array{report_.counted.engine}, event);
    }
    if (!failure) return std::nullopt;
    return fmt::format("{}: {}", Row(CaveatId::kFailedSelfTest).message, *failure);
  }

  void Take(std::vector<MetricRatio> metrics, const std::vector<std::string>& doubts) {
    std::vector<std::string> all = report_.other_work;
    all.insert(all.end(), doubts.begin(), doubts.end());
    for (MetricRatio& metric : metrics) {
      std::vector<std::string> own = all;
      if (metric.metric == kEstimate) own.emplace_back("estimated by a model, not measured");
      if (auto failure = FailedTestOf(metric)) own.push_back(*std::move(failure));
      SetVerdict(request_.tolerance, own, metric);
      report_.ratios.metrics.push_back(std::move(metric));
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
    TRY(auto pairs, CountPairs(request_, report_.vanilla, report_.instrumented, files_, images_,
                               PartOf(progress_, 0.4, 1)));
    report_.counted = std::move(pairs.runs);
    Take(std::move(pairs.metrics), pairs.doubts);
    report_.layouts = pairs.layouts;
    std::ranges::move(pairs.caveats, std::back_inserter(report_.caveats));
    return {};
  }

  ProxyRequest request_;
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
