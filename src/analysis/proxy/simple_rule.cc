// simple_rule.cc: compares the run-time rule with the verdict of each metric.
#include "analysis/proxy/simple_rule.h"

namespace tare::proxy {
namespace {

const Ratio* RunTime(const ProgramRatios& program) {
  const MetricRatio* metric = FindMetric(program, kRunTime);
  return metric != nullptr && metric->ratio ? &*metric->ratio : nullptr;
}

bool IsTime(const MetricRatio& metric) { return metric.metric == kRunTime || metric.unit == "s"; }

}  // namespace

std::optional<bool> AcceptedByRunTime(const ProgramRatios& program) {
  const Ratio* time = RunTime(program);
  if (time == nullptr) return std::nullopt;
  // The rule uses the value, not its interval.
  return VerdictOf({time->value, time->value, time->value}, kPlainTolerance) ==
         RatioVerdict::kValid;
}

std::vector<Misled> MisledByRunTime(const ProgramRatios& program) {
  std::vector<Misled> misled;
  const auto accepted = AcceptedByRunTime(program);
  if (!accepted) return misled;
  const Verdict surprise = *accepted ? Verdict::kRefused : Verdict::kValid;
  for (const MetricRatio& metric : program.metrics) {
    if (!metric.ratio || IsTime(metric) || metric.verdict != surprise) continue;
    misled.push_back({program.program, RunTime(program)->value, metric.metric, metric.ratio->value,
                      *accepted ? Misled::How::kTrusted : Misled::How::kRejected});
  }
  return misled;
}

}  // namespace tare::proxy
