// proxy_tables_summary.cc: summarizes ratios in sentences.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/printable.h"
#include "base/units.h"
#include "cli/commands/count/virtual_tables.h"
#include "cli/commands/proxy/proxy_tables.h"

namespace tare::cli {
namespace {

using proxy::MetricRatio;
using proxy::ProgramRatios;

std::string Percent(double tolerance) { return fmt::format("{} %", Rounded(100 * tolerance, 4)); }

std::string VerdictCounts(const ProgramRatios& program, double tolerance) {
  std::map<Verdict, int> counts;
  int all = 0;
  for (const MetricRatio& metric : program.metrics) {
    if (!metric.ratio.value) continue;
    ++counts[metric.ratio.verdict];
    ++all;
  }
  return fmt::format("{}: {} of {} metrics valid within {}, {} doubtful, {} refused.",
                     Printable(program.program), counts[Verdict::kValid], all, Percent(tolerance),
                     counts[Verdict::kDoubtful], counts[Verdict::kRefused]);
}

std::string RuleSentence(const ProgramRatios& program) {
  const auto accepted = proxy::AcceptedByRunTime(program);
  if (!accepted) return "";
  const double time = proxy::FindMetric(program, proxy::kRunTime)->ratio.Value();
  const std::string so = *accepted ? "would be accepted as a proxy" : "would be rejected";
  const auto misled = proxy::MisledByRunTime(program);
  if (misled.empty()) {
    return fmt::format("By its run time ({}) it {}, and no metric contradicts that.",
                       Rounded(time, 4), so);
  }
  std::string metrics;
  for (const proxy::Misled& one : misled) {
    metrics += fmt::format("{}{} ({})", metrics.empty() ? "" : ", ", Printable(one.metric),
                           Rounded(one.ratio, 4));
  }
  return fmt::format("By its run time ({}) it {}, but {} {} {}.", Rounded(time, 4), so, metrics,
                     misled.size() == 1 ? "is" : "are", *accepted ? "refused" : "valid");
}

// Metrics with the same reason share a sentence.
std::string AbsenceSentences(const ProgramRatios& program) {
  std::vector<std::pair<std::string, std::string>> reasons;
  for (const MetricRatio& metric : program.metrics) {
    if (metric.ratio.value) continue;
    const auto same = std::ranges::find(reasons, metric.ratio.reason,
                                        &std::pair<std::string, std::string>::first);
    if (same == reasons.end()) {
      reasons.emplace_back(metric.ratio.reason, metric.metric);
    } else {
      same->second += ", " + metric.metric;
    }
  }
  std::string text;
  for (const auto& [reason, metrics] : reasons) {
    text +=
        fmt::format("{}No ratio of {}: {}.", text.empty() ? "" : " ", metrics, Printable(reason));
  }
  return text;
}

std::string MethodSentences(const proxy::ProxyReport& report, const proxy::ProxyRequest& request) {
  std::string text = fmt::format("Times: {} alternating pairs of runs.", report.pairs);
  if (report.counted.engine.empty()) return text;
  text += fmt::format(" Counts: engine {}", report.counted.engine);
  if (!request.region.empty()) text += fmt::format(", within {}", Printable(request.region));
  text += report.layouts < 2
              ? ", at one memory layout; they hold only for that layout."
              : fmt::format(
                    ", at {} memory layouts; their intervals cover only other addresses of stack, "
                    "heap, mappings and environment.",
                    report.layouts);
  if (report.counted.engine == "virtual") text += VirtualSummary(*request.processor);
  return text;
}

std::string EndSentence(const proxy::ProxyReport& report) {
  std::string text;
  const int status = report.vanilla.ended.ShellStatus();
  if (report.other_work.empty() && status != 0) {
    text += fmt::format("Both programs exit with status {}. ", status);
  }
  for (const std::string& other : report.other_work) {
    text += fmt::format("The programs did not do the same work: {}. ", other);
  }
  if (report.output_varies) {
    text +=
        "The output of the vanilla program differs from run to run, so outputs were not compared. ";
  }
  if (!text.empty()) text.pop_back();
  return text;
}

void AddParagraph(const std::string& paragraph, std::string& text) {
  if (paragraph.empty()) return;
  if (!text.empty()) text += "\n\n";
  text += paragraph;
}

}  // namespace

std::string ProxySummary(const proxy::ProxyReport& report, const proxy::ProxyRequest& request) {
  std::string text;
  AddParagraph(VerdictCounts(report.ratios, request.tolerance), text);
  AddParagraph(RuleSentence(report.ratios), text);
  AddParagraph(EndSentence(report), text);
  AddParagraph(MethodSentences(report, request), text);
  AddParagraph(AbsenceSentences(report.ratios), text);
  return text;
}

std::string ImportSummary(const proxy::ImportedRatios& imported, double tolerance) {
  std::string text;
  for (const ProgramRatios& program : imported.programs) {
    AddParagraph(VerdictCounts(program, tolerance), text);
    const std::string rule = RuleSentence(program);
    if (!rule.empty()) text += " " + rule;
  }
  if (imported.without_interval > 0) {
    AddParagraph(fmt::format("No interval was given for {} ratio{}: the verdict uses only {}.",
                             imported.without_interval, imported.without_interval == 1 ? "" : "s",
                             imported.without_interval == 1 ? "its value" : "their values"),
                 text);
  }
  return text;
}

std::string PredictionSummary(const proxy::Prediction& prediction) {
  std::string text = fmt::format(
      "Predicted for -finstrument-functions of {}: {} calls of functions, {} of inlined functions, "
      "{} tail calls. The ranges cover the cost of one call, not other decisions of the compiler.",
      proxy::Name(prediction.compiler), prediction.entered, prediction.inlined,
      prediction.tail_calls);
  if (prediction.lower_bound) {
    text +=
        " Without debug information inlined calls are unknown, so the prediction is a lower bound.";
  }
  return text;
}

}  // namespace tare::cli
