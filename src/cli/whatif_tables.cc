// whatif_tables.cc: fills the table and plot of --whatif.
#include "cli/whatif_tables.h"

#include <fmt/format.h>

#include <utility>

#include "base/derived.h"
#include "cli/cells.h"

namespace tare::cli {

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
