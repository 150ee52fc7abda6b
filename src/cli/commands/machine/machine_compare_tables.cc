// machine_compare_tables.cc: pairs and ratios as cells.
#include "cli/commands/machine/machine_compare_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cmath>

#include "base/derived.h"
#include "cli/cells.h"
#include "cli/commands/machine/machine_plots.h"
#include "cli/commands/machine/machine_tables.h"

namespace tare::cli {
namespace {

using MaybeMeasured = std::optional<Measured>;

std::string Agreement(const Measured& ratio) {
  if (!ratio.HasInterval()) return "";
  return machine_profile::Agrees(ratio) ? "yes" : "no";
}

report::Cell SideCell(const MaybeMeasured& figure, std::string_view unit, bool whole) {
  if (!figure) return {};
  const Measured cell = FigureCell(*figure, unit);
  return whole ? cell : WithoutInterval(cell);
}

// A ratio is no better than the figures as they are shown.
Measured RatioCell(Measured ratio, const Measured& first, const Measured& second) {
  return WithWorstVerdict(std::move(ratio), {FigureCell(first), FigureCell(second)});
}

report::Cell RatioCell(const machine_profile::RatePair& pair) {
  if (!pair.ratio || !pair.first || !pair.second) return {};
  return RatioCell(*pair.ratio, *pair.first, *pair.second);
}

class LevelRows {
 public:
  LevelRows(report::Table& table, bool whole) : table_(table), whole_(whole) {}

  void Whole(const machine_profile::LevelPair& pair, std::string_view what, auto member,
             std::string_view unit) {
    const std::uint64_t first = pair.first ? (*pair.first).*member : 0;
    const std::uint64_t second = pair.second ? (*pair.second).*member : 0;
    if (first == 0 && second == 0) return;
    // A discovered number is not exact; its interval is in the table of discoveries.
    const auto figure = [](std::uint64_t number, const machine_profile::Level& level) {
      return WithOrigin(level.origin, Unbounded(static_cast<double>(number)));
    };
    const auto cell = [&](std::uint64_t number,
                          const std::optional<machine_profile::Level>& level) {
      if (!level || number == 0) return report::Cell();
      return report::Cell(FigureCell(figure(number, *level), unit));
    };
    report::Cell ratio;
    if (first > 0 && second > 0) {
      ratio = RatioCell(Unbounded(static_cast<double>(second) / static_cast<double>(first)),
                        figure(first, *pair.first), figure(second, *pair.second));
    }
    table_.rows.push_back({pair.name, std::string(what), cell(first, pair.first),
                           cell(second, pair.second), std::move(ratio), std::string()});
  }

  void Figure(const machine_profile::LevelPair& pair, std::string_view what,
              MaybeMeasured machine_profile::Level::* member, std::string_view unit) {
    const MaybeMeasured first = pair.first ? (*pair.first).*member : std::nullopt;
    const MaybeMeasured second = pair.second ? (*pair.second).*member : std::nullopt;
    if (!first && !second) return;
    report::Cell ratio;
    std::string agree;
    if (first && second) {
      const Measured of = machine_profile::RatioOf(*first, *second);
      ratio = RatioCell(of, *first, *second);
      agree = Agreement(of);
    }
    table_.rows.push_back({pair.name, std::string(what), SideCell(first, unit, whole_),
                           SideCell(second, unit, whole_), std::move(ratio), std::move(agree)});
  }

 private:
  report::Table& table_;
  bool whole_;
};

}  // namespace

report::Table LevelPairTable(const machine_profile::Comparison& comparison, bool whole) {
  report::Table table{"levels",
                      "Levels of memory",
                      {{"level"}, {"what"}, {"first"}, {"second"}, {"ratio"}, {"agree"}},
                      {}};
  LevelRows rows(table, whole);
  for (const machine_profile::LevelPair& pair : comparison.levels) {
    rows.Whole(pair, "capacity", &machine_profile::Level::bytes, "B");
    rows.Whole(pair, "line", &machine_profile::Level::line_bytes, "B");
    rows.Whole(pair, "ways", &machine_profile::Level::ways, "");
    rows.Figure(pair, "latency", &machine_profile::Level::latency, "s");
    rows.Figure(pair, "load", &machine_profile::Level::load, "B/s");
    rows.Figure(pair, "store", &machine_profile::Level::store, "B/s");
    rows.Figure(pair, "parallel", &machine_profile::Level::parallel, "");
  }
  return table;
}

report::Table RatePairTable(const machine_profile::Comparison& comparison, bool whole) {
  report::Table table{
      "rates", "Rates", {{"name"}, {"first"}, {"second"}, {"ratio"}, {"agree"}}, {}};
  for (const machine_profile::RatePair& pair : comparison.rates) {
    table.rows.push_back({pair.name, SideCell(pair.first, pair.unit, whole),
                          SideCell(pair.second, pair.unit, whole), RatioCell(pair),
                          pair.ratio ? Agreement(*pair.ratio) : ""});
  }
  return table;
}

report::Table CurvePairTable(const machine_profile::Comparison& comparison) {
  report::Table table{"curves",
                      "Curves, second over first",
                      {{"curve"}, {"points"}, {"compared"}, {"agree"}, {"median_ratio"}},
                      {}};
  for (const machine_profile::CurvePair& pair : comparison.curves) {
    report::Cell median;
    if (!pair.points.empty()) median = Number{std::round(pair.median_ratio * 1e4) / 1e4};
    table.rows.push_back({CurveName(pair.key), Count(pair.points.size()), Count(pair.compared),
                          Count(pair.agree), std::move(median)});
  }
  return table;
}

report::Table PointPairTable(const machine_profile::Comparison& comparison) {
  report::Table table{
      "points",
      "Points of the curves",
      {{"curve"}, {"bytes", "B"}, {"first", "/s"}, {"second", "/s"}, {"ratio"}, {"agree"}},
      {}};
  for (const machine_profile::CurvePair& pair : comparison.curves) {
    for (const machine_profile::PointPair& point : pair.points) {
      table.rows.push_back({CurveName(pair.key), SetCell(point.bytes), FigureCell(point.first),
                            FigureCell(point.second),
                            RatioCell(point.ratio, point.first, point.second),
                            Agreement(point.ratio)});
    }
  }
  return table;
}

report::Series RatioPlot(const machine_profile::Comparison& comparison,
                         const machine_profile::Profile& first) {
  using machine_profile::Access;
  using machine_profile::Pattern;
  report::Series series{
      "ratio",          "Rate of the second over the first", {"working_set", "B"}, true, {}, true,
      CacheMarks(first)};
  constexpr std::array kPatterns = {Pattern::kStrided, Pattern::kRandom, Pattern::kChained};
  for (const Pattern pattern : kPatterns) {
    for (const machine_profile::CurvePair& pair : comparison.curves) {
      if (pair.key != machine_profile::CurveKey{Access::kLoad, pattern, 1, 8} ||
          pair.points.empty())
        continue;
      report::Line line{CurveName(pair.key), "", {}, {}, {}, {}};
      for (const machine_profile::PointPair& point : pair.points) {
        line.x.push_back(static_cast<double>(point.bytes));
        line.y.push_back(point.ratio.Value());
      }
      series.lines.push_back(std::move(line));
    }
  }
  return series;
}

std::string DifferentConditions(const machine_profile::Profile& first,
                                const machine_profile::Profile& second) {
  // The requested conditions, not the resulting ones.
  constexpr std::array kRequested = {"extent", "pages", "prefetching"};
  std::vector<std::string> differences;
  for (const char* key : kRequested) {
    const auto a = first.conditions.find(key);
    const auto b = second.conditions.find(key);
    if (a == first.conditions.end() || b == second.conditions.end()) continue;
    if (a->second != b->second) {
      differences.push_back(fmt::format("{}: {} and {}", key, a->second, b->second));
    }
  }
  return fmt::format("{}", fmt::join(differences, "; "));
}

}  // namespace tare::cli
