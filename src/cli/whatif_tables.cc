// whatif_tables.cc: fills the table and plot of --whatif.
#include "cli/whatif_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/derived.h"
#include "cli/cells.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

constexpr double kSameTime = 0.01;  // relative

}  // namespace

report::Table WhatIfTable(double unchanged, std::span<const WhatIfTime> times) {
  report::Table table{
      "whatif", "Predicted time on changed machines", {{"change"}, {"time", "s"}, {"speed"}}, {}};
  for (const WhatIfTime& time : times) {
    if (!time.seconds) {
      table.rows.push_back({time.change, Absent(time.seconds.error().message), {}});
      continue;
    }
    const Measured changed = Doubtful(Unbounded(*time.seconds), "the machine is projected");
    report::Cell speed;
    if (*time.seconds > 0) {
      speed = WithWorstVerdict(Unbounded(unchanged / *time.seconds), {changed});
    }
    table.rows.push_back({time.change, changed, speed});
  }
  return table;
}

std::string WhatIfAnswer(double unchanged, std::span<const WhatIfTime> times) {
  const WhatIfTime* best = nullptr;
  const WhatIfTime* worst = nullptr;
  std::size_t predicted = 0;
  for (const WhatIfTime& time : times) {
    if (!time.seconds) continue;
    ++predicted;
    if (best == nullptr || *time.seconds < *best->seconds) best = &time;
    if (worst == nullptr || *time.seconds > *worst->seconds) worst = &time;
  }
  if (best == nullptr) {
    const std::string reason = times.empty() ? "" : times.front().seconds.error().message;
    const bool same = std::ranges::all_of(
        times, [&](const WhatIfTime& time) { return time.seconds.error().message == reason; });
    return same ? fmt::format("No change could be predicted: {}.", reason)
                : "No change could be predicted.";
  }
  const auto with = [&](const WhatIfTime& time) {
    return fmt::format("{} with {}", report::ShowSeconds(*time.seconds, 4), time.change);
  };
  const bool faster = *best->seconds < unchanged * (1 - kSameTime);
  const bool slower = *worst->seconds > unchanged * (1 + kSameTime);
  const std::string before = report::ShowSeconds(unchanged, 4);
  if (!faster && !slower) {
    if (predicted == 1) {
      return fmt::format("{} changes the time of {} by less than 1 %.", best->change, before);
    }
    return fmt::format("Each {}change alters the time of {} by less than 1 %.",
                       predicted < times.size() ? "predicted " : "", before);
  }
  std::string text = fmt::format("The time goes from {} to", before);
  if (faster) {
    text += fmt::format(" {} ({} times as fast)", with(*best),
                        report::ShowRounded(unchanged / *best->seconds, 3));
  }
  if (slower) {
    text += fmt::format("{} {} ({} times as fast)", faster ? ", and to" : "", with(*worst),
                        report::ShowRounded(unchanged / *worst->seconds, 3));
  }
  return text + ".";
}

bool Differ(std::span<const WhatIfTime> times) {
  double least = HUGE_VAL;
  double most = 0;
  for (const WhatIfTime& time : times) {
    if (!time.seconds) continue;
    least = std::min(least, *time.seconds);
    most = std::max(most, *time.seconds);
  }
  return most > least * (1 + kSameTime);
}

report::Series WhatIfPlot(std::string id, const std::string& ranged, const std::string& unit,
                          std::span<const WhatIfTime> times) {
  report::Series plot{std::move(id),
                      fmt::format("Predicted time by {}", ranged),
                      {ranged, unit},
                      true,
                      {},
                      false,
                      {}};
  report::Line line{"time", "s", {}, {}, {}, {}};
  line.verdict = Verdict::kDoubtful;
  line.reason = "the machine is projected";
  for (const WhatIfTime& time : times) {
    if (!time.seconds) continue;
    line.x.push_back(time.x);
    line.y.push_back(*time.seconds);
  }
  plot.lines.push_back(std::move(line));
  return plot;
}

}  // namespace tare::cli
