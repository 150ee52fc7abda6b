// check_advice.cc: rules that map observations to recommendations.
#include "analysis/check/check_advice.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/units.h"

namespace tare::check {
namespace {

// A difference of this size is worth detecting; larger noise would hide it.
constexpr double kWorthSeeing = 0.01;

void AdviseOnCounts(const CheckReport& report, std::vector<Advice>& advice) {
  if (!report.counts) {
    advice.push_back({90, "get exact counts: " + report.counts_need, report.no_counts});
    return;
  }
  const count::CountReport& counts = *report.counts;
  std::size_t usable = 0;
  for (const count::EngineCounts& engine : counts.engines) {
    if (engine.Usable()) ++usable;
    if (!engine.unrepeatable.empty()) {
      advice.push_back(
          {70, "find out what differs between runs before comparing counts",
           fmt::format("{} functions run differently each time, although the setup is fixed",
                       engine.unrepeatable.size())});
    }
  }
  if (usable == 1) {
    advice.push_back({60, "let a second engine confirm the counts: raise --budget",
                      "only one engine has counted"});
  }
  for (const count::Ledger& ledger : counts.ledgers) {
    if (ledger.unexplained != 0) {
      advice.push_back({65, "count a region instead of the whole program: --region main",
                        fmt::format("{:+} instructions have no known cause", ledger.unexplained)});
    }
  }
}

void AdviseOnTime(const CheckReport& report, std::vector<Advice>& advice) {
  if (!report.noise) {
    advice.push_back({80, "allow more time: raise --budget", "too few runs to estimate the noise"});
    return;
  }
  const run::Noise& noise = *report.noise;
  if (noise.smallest_difference > kWorthSeeing) {
    const double factor = noise.smallest_difference / kWorthSeeing;
    const double runs = std::ceil(static_cast<double>(report.timed.size()) * factor * factor);
    advice.push_back(
        {50 * std::min(1.0, noise.smallest_difference),
         report.counts ? "compare instruction counts instead of times for small changes"
                       : "compare exact counts instead of times for small changes",
         fmt::format("to detect a change of 1 % in time takes about {} runs of each version here",
                     Rounded(runs, 3))});
  }
  if (noise.coefficient_of_variation > 0.02) {
    advice.push_back(
        {20 + 100 * noise.coefficient_of_variation,
         "stop other work on this machine, and pin the program to one core: --core",
         fmt::format("single runs vary by {:.1f} %", 100 * noise.coefficient_of_variation)});
  }
  const bool short_run =
      report.clock && noise.median.Value() < 1000 * report.clock->overhead.Value();
  if (short_run) {
    advice.push_back({40, "measure more work at once: a larger input, or a loop around it",
                      "the program takes less than 1000 times as long as reading the clock"});
  }
}

}  // namespace

std::vector<Advice> MakeAdvice(const CheckReport& report) {
  std::vector<Advice> advice;
  AdviseOnCounts(report, advice);
  AdviseOnTime(report, advice);
  std::ranges::sort(advice, [](const Advice& a, const Advice& b) {
    return std::tie(b.gain, a.what) < std::tie(a.gain, b.what);
  });
  return advice;
}

}  // namespace tare::check
