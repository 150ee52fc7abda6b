// machine_plots.cc: groups curves into plots and chooses their units.
#include "cli/commands/machine/machine_plots.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

#include "base/near_match.h"
#include "base/printable.h"
#include "base/units.h"
#include "machine/profile/memory_model.h"
#include "report/figures.h"
#include "report/names.h"

namespace tare::cli {
namespace {

using machine_profile::Access;
using machine_profile::CurveKey;
using machine_profile::Origin;
using machine_profile::OriginOf;
using machine_profile::Pattern;

// A suffix for a line's name if some of its points were not measured.
std::string OriginNote(std::span<const Origin> origins) {
  const std::set<Origin> all(origins.begin(), origins.end());
  if (all.empty() || all == std::set{Origin::kMeasured}) return "";
  if (all.size() == 1) return fmt::format(" ({})", Name(*all.begin()));
  return all.contains(Origin::kProjected) ? " (partly projected)" : " (partly not measured)";
}

void AddPoint(report::Line& line, double x, double value, std::optional<double> low,
              std::optional<double> high) {
  line.x.push_back(x);
  line.y.push_back(value);
  line.low.push_back(low.value_or(value));
  line.high.push_back(high.value_or(value));
}

// Removes bounds that equal every point.
void DropEmptyBounds(report::Line& line) {
  if (line.low != line.y || line.high != line.y) return;
  line.low.clear();
  line.high.clear();
}

report::Line BytesPerSecond(const machine_profile::Curve& curve) {
  report::Line line{CurveName(curve.key), "B/s", {}, {}, {}, {}};
  const double bytes = curve.key.element_bytes;
  std::vector<Origin> origins;
  for (const machine_profile::CurvePoint& point : curve.points) {
    const Measured& rate = point.rate;
    const auto scaled = [&](const std::optional<double>& bound) {
      return bound ? std::optional(*bound * bytes) : std::nullopt;
    };
    AddPoint(line, static_cast<double>(point.bytes), rate.Value() * bytes, scaled(rate.low),
             scaled(rate.high));
    origins.push_back(OriginOf(rate));
  }
  DropEmptyBounds(line);
  line.name += OriginNote(origins);
  return line;
}

report::Line SecondsEach(const machine_profile::Curve& curve) {
  report::Line line{CurveName(curve.key), "s", {}, {}, {}, {}};
  std::vector<Origin> origins;
  for (const machine_profile::CurvePoint& point : curve.points) {
    const Measured& rate = point.rate;
    const auto inverse = [](const std::optional<double>& bound) {
      return bound && *bound > 0 ? std::optional(1 / *bound) : std::nullopt;
    };
    AddPoint(line, static_cast<double>(point.bytes), 1 / rate.Value(), inverse(rate.high),
             inverse(rate.low));
    origins.push_back(OriginOf(rate));
  }
  DropEmptyBounds(line);
  line.name += OriginNote(origins);
  return line;
}

report::Series OverWorkingSet(const machine_profile::Profile& profile, std::string id,
                              std::string title) {
  return {std::move(id), std::move(title),   {"working_set", "B"}, true, {},
          true,          CacheMarks(profile)};
}

char Upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

std::set<std::string> WordsOf(std::string_view text) {
  std::string spaced(text);
  std::ranges::replace(spaced, ',', ' ');
  std::istringstream words(spaced);
  std::set<std::string> all;
  for (std::string word; words >> word;) all.insert(word);
  return all;
}

}  // namespace

std::vector<report::Mark> CacheMarks(const machine_profile::Profile& profile) {
  std::vector<report::Mark> marks;
  for (std::size_t i = 0; i + 1 < profile.levels.size(); ++i) {
    const machine_profile::Level& level = profile.levels[i];
    const auto bytes = static_cast<double>(level.bytes);
    const ScaledUnit unit = ReadableUnit(bytes, "B");
    marks.push_back({bytes, fmt::format("{} {} {}", level.name,
                                        report::ShowRounded(bytes * unit.factor, 3), unit.symbol)});
  }
  return marks;
}

report::Series BandwidthPlot(const machine_profile::Profile& profile) {
  report::Series series =
      OverWorkingSet(profile, "bandwidth", "Bandwidth by size of the working set");
  const unsigned widest = machine_profile::WidestElement(profile);
  std::vector<CurveKey> keys = {{Access::kLoad, Pattern::kStrided, 1, widest},
                                {Access::kStore, Pattern::kStrided, 1, widest}};
  if (widest != 8) keys.push_back({Access::kLoad, Pattern::kStrided, 1, 8});
  keys.push_back({Access::kLoad, Pattern::kRandom, 1, 8});
  for (const CurveKey& key : keys) {
    const machine_profile::Curve* curve = profile.FindCurve(key);
    if (curve != nullptr) series.lines.push_back(BytesPerSecond(*curve));
  }
  return series;
}

report::Series LatencyPlot(const machine_profile::Profile& profile) {
  report::Series series = OverWorkingSet(profile, "latency", "Latency of dependent loads");
  for (const machine_profile::Curve& curve : profile.curves) {
    if (curve.key.pattern == Pattern::kChained) series.lines.push_back(SecondsEach(curve));
  }
  return series;
}

std::vector<report::Series> CurvePlots(const machine_profile::Profile& profile,
                                       std::span<const machine_profile::Curve* const> curves) {
  std::map<std::pair<Access, unsigned>, report::Series> plots;
  for (const machine_profile::Curve* curve : curves) {
    const CurveKey& key = curve->key;
    if (key.pattern == Pattern::kChained) continue;
    auto& plot = plots[{key.access, key.element_bytes}];
    if (plot.id.empty()) {
      plot = OverWorkingSet(
          profile, fmt::format("{}_{}", Name(key.access), key.element_bytes),
          fmt::format("Bandwidth of {}s of {} bytes", Name(key.access), key.element_bytes));
    }
    plot.lines.push_back(BytesPerSecond(*curve));
  }
  std::vector<report::Series> in_order;
  for (auto& [key, plot] : plots) in_order.push_back(std::move(plot));
  return in_order;
}

std::vector<report::Series> GraphPlots(const machine_profile::Profile& profile) {
  std::vector<report::Series> plots;
  for (const machine_profile::Graph& graph : profile.graphs) {
    report::Series plot{fmt::format("graph_{}_{}", plots.size() + 1, report::IdWord(graph.name)),
                        graph.name,
                        {graph.x_name, graph.x_unit},
                        false,
                        {}};
    if (!plot.title.empty()) plot.title[0] = Upper(plot.title[0]);
    report::Line line{graph.name, graph.y_unit, {}, {}, {}, {}};
    std::vector<Origin> origins;
    for (const machine_profile::GraphPoint& point : graph.points) {
      AddPoint(line, point.x, point.y.Value(), point.y.low, point.y.high);
      origins.push_back(OriginOf(point.y));
    }
    DropEmptyBounds(line);
    line.name += OriginNote(origins);
    plot.lines.push_back(std::move(line));
    plots.push_back(std::move(plot));
  }
  return plots;
}

Result<std::vector<const machine_profile::Curve*>> ChooseCurves(
    const machine_profile::Profile& profile, std::span<const std::string> wishes) {
  std::vector<std::string> names;
  for (const machine_profile::Curve& curve : profile.curves) names.push_back(CurveName(curve.key));
  std::vector<bool> chosen(names.size(), false);
  for (const std::string& wish : wishes) {
    const std::set<std::string> wanted = WordsOf(wish);
    bool any = wish == "all";
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (wish != "all" && !std::ranges::includes(WordsOf(names[i]), wanted)) continue;
      chosen[i] = true;
      any = true;
    }
    if (any) continue;
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::string near = DidYouMean(wish, candidates);
    const std::string forms =
        "; use a name that tare machine show --curves all lists, or part of it: random, store "
        "stride 1";
    return Fail(ErrorKind::kUsage, fmt::format("--curves {}: the profile has no such curve{}",
                                               Printable(wish), near.empty() ? forms : near));
  }
  std::vector<const machine_profile::Curve*> curves;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (chosen[i]) curves.push_back(&profile.curves[i]);
  }
  return curves;
}

}  // namespace tare::cli
