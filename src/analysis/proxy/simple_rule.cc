// simple_rule.cc: compares the run-time rule with the verdict of each metric.
#include "analysis/proxy/simple_rule.h"

namespace tare::proxy {
namespace {

std::optional<double> RunTime(const ProgramRatios& program) {
  const MetricRatio* metric = FindMetric(program, kRunTime);
  if (metric == nullptr || !metric->ratio.value) return std::nullopt;
  return metric->ratio.Value();
}

bool IsTime(const MetricRatio& metric) { return metric.metric == kRunTime || metric.unit == "s"; }

}  // namespace

std::optional<bool> AcceptedByRunTime(const ProgramRatios& program) {
  const auto time = RunTime(program);
  if (!time) return std::nullopt;
  // The rule uses the value, not its interval.
  return VerdictOf(Unbounded(*time), kPlainTolerance) == Verdict::kValid;
}

std::vector<Misled> MisledByRunTime(const ProgramRatios& program) {
  std::vector<Misled> misled;
  const auto accepted = AcceptedByRunTime(program);
  if (!accepted) return misled;
  const Verdict surprise = *accepted ? Verdict::kRefused : Verdict::kValid;
  for (const MetricRatio& metric : program.metrics) {
    if (!metric.ratio.value || IsTime(metric) || metric.ratio.verdict != surprise) continue;
    misled.push_back({program.program, *RunTime(program), metric.metric, metric.ratio.Value(),
                      *accepted ? Misled::How::kTrusted : Misled::How::kRejected});
  }
  return misled;
}

}  // namespace tare::proxy
