// measures.cc: converts levels to a run and the run to a number.
#include "analysis/why/measures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "analysis/why/disturbance.h"
#include "base/stop.h"

namespace tare::why {
namespace {

void EndWithin(double seconds, run::Setting& setting) {
  setting.timeout_seconds = std::min(seconds, setting.timeout_seconds.value_or(seconds));
}

std::unexpected<Error> TimedOut(std::string_view kind) {
  return Fail(ErrorKind::kTimedOut, fmt::format("a {} run did not exit within the timeout", kind));
}

}  // namespace

Result<void> CountMeasure::Record() {
  TRY(const auto conditions, setup_.At({}));
  TRY_VOID(Count(conditions, variants_.At({}), inputs_->ToRecord()));
  return inputs_->Recorded();
}

Result<double> CountMeasure::At(const Levels& levels) {
  TRY(const auto conditions, setup_.At(levels));
  const Variant& variant = variants_.At(levels);
  if (inputs_ == nullptr) return Count(conditions, variant, {});
  TRY(const auto system_logs, inputs_->At(levels));
  const auto counted = Count(conditions, variant, system_logs);
  inputs_->Finished();
  return counted;
}

Result<double> CountMeasure::Under(const Conditions& conditions) {
  const Variant& variant = variants_.At({});
  if (inputs_ == nullptr) return Count(conditions, variant, {});
  TRY(const auto system_logs, inputs_->At({}));
  return Count(conditions, variant, system_logs);
}

void CountMeasure::Warn(CaveatId id, std::string detail) {
  if (std::ranges::find(caveats_, id, &Caveat::key) != caveats_.end()) return;
  caveats_.push_back({id, std::move(detail)});
}

void CountMeasure::Compare(const run::Ended& ended) {
  if (!first_ended_) {
    first_ended_ = ended;
    if (ended.ShellStatus() != plan_.expected.ShellStatus()) {
      Warn(CaveatId::kExitStatusDiffers, fmt::format("status {} instead of {}", ended.ShellStatus(),
                                                     plan_.expected.ShellStatus()));
    }
  }
  if (ended.ShellStatus() == first_ended_->ShellStatus()) return;
  Warn(CaveatId::kExitStatusVaries,
       fmt::format("status {} instead of {}", ended.ShellStatus(), first_ended_->ShellStatus()));
}

Result<double> CountMeasure::Count(const Conditions& conditions, const Variant& variant,
                                   const engine::SystemLogs& system_logs) {
  if (!plan_.engine) return CountByProcessor(conditions, variant);
  engine::EnginePlan plan;
  plan.program = variant.program;
  plan.setting = conditions.setting;
  plan.region = variant.region;
  plan.children = plan_.children;
  plan.features = conditions.features;
  plan.system_logs = system_logs;
  plan.limit = plan_.limit.value_or(engine::EngineLimit{HUGE_VAL, std::nullopt});
  plan.limit->seconds = std::min(plan.limit->seconds, plan_.seconds_left());
  plan.interrupted = plan_.interrupted;
  TRY(const auto run, engine::RunUnder(*plan_.engine, files_, plan));
  if (run.finished.ended.interrupted) return Stopped();
  if (run.finished.ended.how == run::Ended::How::kTimedOut) return TimedOut("counted");
  Compare(run.finished.ended);
  if (engine::WasReplaced(run)) {
    Warn(CaveatId::kExecNotFollowed, std::string(engine::Name(*plan_.engine)));
  }
  TRY(const auto tally, count::SumRecordings(run.recordings, count::RepConvention::kOnce, images_));
  if (variant.region && tally.region_entries == 0) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("{} was not called", variant.region->function));
  }
  return static_cast<double>(tally.total[count::Metric::kInstructions]);
}

Result<double> CountMeasure::CountByProcessor(const Conditions& conditions,
                                              const Variant& variant) {
  count::CountRequest request;
  request.program = variant.program;
  request.setting = conditions.setting;
  EndWithin(plan_.seconds_left(), request.setting);
  request.children = plan_.children;
  request.interrupted = plan_.interrupted;
  TRY(const auto report, count::CountProgram(request, files_, images_, NoProgress));
  if (report.ended.how == run::Ended::How::kTimedOut) return TimedOut("counted");
  Compare(report.ended);
  const auto& hardware = report.native->hardware;
  const auto found = std::ranges::find(hardware, "instructions", &pmu::MetricCount::metric);
  if (found == hardware.end() || !found->count.value) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("the hardware counter of instructions is not available: {}",
                            found == hardware.end() ? "unknown" : found->count.absence));
  }
  return static_cast<double>(found->corrected.value_or(*found->count.value));
}

Result<double> TimeMeasure::At(const Levels& levels) {
  TRY(auto conditions, setup_.At(levels));
  if (inputs_ != nullptr) {
    TRY_VOID(inputs_->Apply(levels, conditions.setting));
    TRY_VOID(inputs_->Begin());
  }
  const Variant& variant = variants_.At(levels);
  std::optional<Neighbours> neighbours;
  if (conditions.neighbours > 0) {
    TRY(auto started, Neighbours::Start(conditions.neighbours));
    neighbours.emplace(std::move(started));
  }
  if (conditions.cold_files) Forget(FilesOf(variant.program, conditions.setting));
  EndWithin(seconds_left_(), conditions.setting);
  run::Hooks hooks;
  hooks.interrupted = interrupted_;
  TRY(const auto finished, run::RunProgram(variant.program, conditions.setting, hooks));
  if (finished.ended.interrupted) return Stopped();
  if (finished.ended.how == run::Ended::How::kTimedOut) return TimedOut("timed");
  return finished.wall_seconds;
}

}  // namespace tare::why
