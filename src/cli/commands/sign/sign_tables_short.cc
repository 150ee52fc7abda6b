// sign_tables_short.cc: the tables of a signature for a terminal of 80 columns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands/sign/sign_tables.h"

namespace tare::cli {
namespace {

using signature::LevelUse;

// Short tables have no intervals; numbers with wider ones than this are marked.
constexpr double kWidePercent = 1;

Measured Tenths(double percent) { return Unbounded(std::round(10 * percent) / 10); }

Measured ShortShare(double number, double of) {
  return of <= 0 ? Absent("no references") : Tenths(100 * number / of);
}

Measured ShortHits(const LevelUse& use, const std::vector<Measured>& misses, std::size_t level) {
  if (level >= misses.size()) return Absent("the machine has no such level");
  const Measured hits = Scaled(signature::HitRate(misses[level], use.references), 100);
  if (!hits.value) return hits;
  const Measured shown = Tenths(hits.Value());
  if (!hits.HasInterval() || hits.HalfWidth() <= kWidePercent) return shown;
  return Doubtful(shown, "known to more than ±1 percentage point; -v shows the interval");
}

Measured Thousandths(double number, double of) {
  if (of <= 0) return Absent("no references");
  return Unbounded(std::round(1000 * number / of) / 1000);
}

// "main (spmv.c:14)", or the offset in the file instead of the line.
std::string ShortName(const MemoryUsage& usage) {
  if (usage.function.empty()) return Printable(usage.source.empty() ? usage.name : usage.source);
  std::string place = usage.source;
  if (place.empty()) {
    const std::size_t number = usage.name.find_last_of("+#");
    if (number != std::string::npos) place = usage.name.substr(number);
  }
  if (place.empty()) return Printable(usage.function);
  return Printable(fmt::format("{} ({})", usage.function, place));
}

}  // namespace

report::Table ShortSignTable(const SignUsages& usages, std::string_view per,
                             const signature::Hierarchy& hierarchy, std::size_t machine,
                             std::size_t top) {
  const bool loops = per == "loop";
  const std::vector<MemoryUsage>& list = loops               ? usages.loops
                                         : per == "function" ? usages.functions
                                                             : usages.blocks;
  report::Table table;
  table.id = fmt::format("{}s", per);
  if (machine > 0) table.id += fmt::format("_{}", machine + 1);
  table.title = fmt::format("{}s by references on {}; shares and hits in %, flops per reference",
                            loops               ? "Loop"
                            : per == "function" ? "Function"
                                                : "Block",
                            Printable(hierarchy.name));
  table.columns = {{std::string(per)}};
  if (loops) table.columns.push_back({"iterations"});
  table.columns.push_back({"share"});
  if (!loops) table.columns.push_back({"sum"});
  table.columns.push_back({"flops"});
  table.columns.push_back({"random"});
  for (std::size_t i = 0; i < hierarchy.caches.size(); ++i)
    table.columns.push_back({fmt::format("l{}", i + 1)});
  if (!hierarchy.tlbs.empty()) table.columns.push_back({"tlb"});
  const double all = usages.total.References();
  double sum = 0;
  const std::size_t rows = top == 0 ? list.size() : std::min(top, list.size());
  for (std::size_t i = 0; i < rows; ++i) {
    const MemoryUsage& usage = list[i];
    const double references = usage.References();
    sum += references;
    std::vector<report::Cell> row = {ShortName(usage)};
    if (loops) row.emplace_back(Count(usage.iterations));
    row.emplace_back(ShortShare(references, all));
    if (!loops) row.emplace_back(ShortShare(sum, all));
    row.emplace_back(Thousandths(usage.flops, references));
    row.emplace_back(usage.strides.sampled == 0 ? Absent("no references were sampled for strides")
                                                : Thousandths(usage.strides.random, references));
    const LevelUse& use = usage.levels[machine];
    for (std::size_t level = 0; level < hierarchy.caches.size(); ++level)
      row.emplace_back(ShortHits(use, use.misses, level));
    if (!hierarchy.tlbs.empty()) row.emplace_back(ShortHits(use, use.tlb_misses, 0));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace tare::cli
