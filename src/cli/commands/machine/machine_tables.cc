// machine_tables.cc: levels, rates, discoveries and points, each number with its origin.
#include "cli/commands/machine/machine_tables.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/grouped.h"
#include "base/units.h"
#include "cli/cells.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

using machine_profile::Origin;
using machine_profile::OriginOf;

// Why a number of that origin is not a measurement; empty for kMeasured.
std::string_view NotMeasured(Origin origin) {
  switch (origin) {
    case Origin::kMeasured:
      return "";
    case Origin::kReported:
      return "reported by the operating system, not measured";
    case Origin::kPublished:
      return "published, not measured here";
    case Origin::kGiven:
      return "given by hand, not measured";
    case Origin::kProjected:
      return "projected, not measured";
  }
  return "";
}

Measured Marked(Measured measured, Origin origin) {
  const std::string_view why = NotMeasured(origin);
  if (why.empty()) return measured;
  return WithOrigin(origin, Doubtful(std::move(measured), std::string(why)));
}

report::Cell FigureOrNothing(const std::optional<Measured>& figure) {
  return figure ? report::Cell(FigureCell(*figure)) : report::Cell();
}

std::string Readable(double value, std::string_view unit) {
  const ScaledUnit scaled = ReadableUnit(value, unit);
  return fmt::format("{} {}", report::ShowRounded(value * scaled.factor, 3), scaled.symbol);
}

// "2 cores with 4 threads, 16 GiB": the known parts.
std::string TopologyText(const machine_profile::Topology& topology) {
  std::vector<std::string> parts;
  const auto add = [&](unsigned count, std::string_view one, std::string_view many) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, count == 1 ? one : many));
  };
  add(topology.packages, "package", "packages");
  add(topology.cores, "core", "cores");
  add(topology.threads, "hardware thread", "hardware threads");
  add(topology.numa_nodes, "memory node", "memory nodes");
  if (topology.memory_bytes > 0) {
    parts.push_back(
        fmt::format("{} of memory", Readable(static_cast<double>(topology.memory_bytes), "B")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// A level's name as part of a column name.
std::string ColumnWord(std::string_view name) {
  std::string word;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = byte < 0x80 && std::isalnum(byte) != 0;
    word += plain ? static_cast<char>(std::tolower(byte)) : '_';
  }
  return word;
}

// The measured figure of that discovery; null if there is none.
const Measured* FoundFigure(const machine_profile::Profile& profile, std::string_view what) {
  const auto found = std::ranges::find(profile.discovered, what, &machine_profile::Discovery::what);
  return found == profile.discovered.end() || !found->measured ? nullptr : &*found->measured;
}

// A whole number of a level or a TLB: the measured figure with its interval, or the profile's
// number.
report::Cell FoundOr(const Measured* found, report::Cell standing, double factor = 1) {
  if (found == nullptr || OriginOf(*found) != Origin::kMeasured) return standing;
  return FigureCell(Scaled(*found, factor));
}

// TLBs for small and huge pages have the same names; their reach distinguishes them.
const Measured* FoundReach(const machine_profile::Profile& profile,
                           const machine_profile::Tlb& tlb) {
  const auto reach = static_cast<double>(tlb.page_bytes * tlb.entries);
  for (const std::string_view with : {"", " with huge pages"}) {
    const auto* found = FoundFigure(profile, fmt::format("{} reach{}", tlb.name, with));
    if (found != nullptr && std::abs(found->Value() - reach) <= 0.01 * reach) return found;
  }
  return nullptr;
}

std::size_t CacheCount(const machine_profile::Profile& profile) {
  return profile.levels.empty() ? 0 : profile.levels.size() - 1;
}

void AddHitColumns(report::Table& table, const machine_profile::Profile& profile,
                   std::size_t caches, std::string_view unit) {
  for (std::size_t i = 0; i < caches; ++i) {
    table.columns.push_back(
        {fmt::format("hits_{}", ColumnWord(profile.levels[i].name)), std::string(unit)});
  }
}

void AddHits(std::vector<report::Cell>& row, const machine_profile::CurvePoint& point,
             std::size_t caches) {
  for (std::size_t i = 0; i < caches; ++i) {
    if (i < point.hits.size()) {
      row.emplace_back(Known(point.hits[i]));
    } else {
      row.emplace_back();
    }
  }
}

}  // namespace

Measured WithoutInterval(Measured measured) {
  measured.low.reset();
  measured.high.reset();
  measured.confidence.reset();
  return measured;
}

Measured FigureCell(Measured figure, std::string_view unit) {
  if (figure.HasInterval() && figure.low == figure.high) {
    figure = WithoutInterval(std::move(figure));
    figure.exact = true;
  }
  figure.unit = unit;
  const Origin origin = OriginOf(figure);
  return Marked(std::move(figure), origin);
}

// A measured number is not exact, even without an interval.
report::Cell WholeCell(std::uint64_t number, Origin origin, std::string_view unit) {
  if (number == 0) return {};
  Measured cell = Marked(Count(number), origin);
  if (origin == Origin::kMeasured) cell.exact = false;
  return WithUnit(std::string(unit), std::move(cell));
}

report::Cell SizeCell(std::uint64_t bytes, Origin origin) {
  if (bytes == 0) return {};
  Measured cell = Marked(Known(static_cast<double>(bytes)), origin);
  if (origin == Origin::kMeasured) cell.exact = false;
  return WithUnit("B", std::move(cell));
}

report::Cell SetCell(std::uint64_t bytes) {
  return WithUnit("B", Known(static_cast<double>(bytes)));
}

report::Table AboutTable(const machine_profile::Profile& profile, bool whole) {
  report::Table table{"about", "About this profile", {{"what"}, {"value"}}, {}};
  const auto add = [&](std::string what, const std::string& value) {
    if (!value.empty()) table.rows.push_back({std::move(what), value});
  };
  add("name", profile.name);
  add("origin", std::string(Name(profile.origin)));
  add("machine", profile.machine);
  if (whole || profile.machine.find(profile.model) == std::string::npos) {
    add("model", profile.model);
  }
  add("architecture", profile.architecture);
  add("topology", TopologyText(profile.topology));
  add("source", profile.source);
  add("time", profile.time);
  add("derived from", profile.derived_from);
  std::vector<std::string> conditions;
  for (const auto& [key, value] : profile.conditions) {
    std::string what = key;
    std::ranges::replace(what, '_', ' ');
    if (whole) add(what, value);
    conditions.push_back(fmt::format("{}: {}", what, value));
  }
  if (!whole) add("conditions", fmt::format("{}", fmt::join(conditions, "; ")));
  return table;
}

report::Table LevelTable(const machine_profile::Profile& profile) {
  report::Table table{
      "levels",
      "Levels of memory, from the core outwards",
      {{"level"}, {"capacity", "B"}, {"line", "B"}, {"ways"}, {"threads"}, {"latency", "s"}},
      {}};
  const bool measured = profile.origin == Origin::kMeasured;
  const auto found = [&](const std::string& what) {
    return measured ? FoundFigure(profile, what) : nullptr;
  };
  for (const machine_profile::Level& level : profile.levels) {
    table.rows.push_back(
        {level.name, FoundOr(found(level.name + " capacity"), SizeCell(level.bytes, level.origin)),
         FoundOr(found("line size"), WholeCell(level.line_bytes, level.origin)),
         FoundOr(found(level.name + " associativity"), WholeCell(level.ways, level.origin)),
         WholeCell(level.threads, level.origin), FigureOrNothing(level.latency)});
  }
  return table;
}

report::Table LevelRateTable(const machine_profile::Profile& profile) {
  report::Table table{"level_rates",
                      "Bandwidth of each level to one core",
                      {{"level"}, {"load", "B/s"}, {"store", "B/s"}, {"parallel", "lines"}},
                      {}};
  for (const machine_profile::Level& level : profile.levels) {
    if (!level.load && !level.store && !level.parallel) continue;
    table.rows.push_back({level.name, FigureOrNothing(level.load), FigureOrNothing(level.store),
                          FigureOrNothing(level.parallel)});
  }
  return table;
}

report::Table TlbTable(const machine_profile::Profile& profile) {
  report::Table table{
      "tlbs", "TLBs", {{"name"}, {"page", "B"}, {"entries"}, {"reach", "B"}, {"miss", "s"}}, {}};
  for (const machine_profile::Tlb& tlb : profile.tlbs) {
    const Measured* reach = FoundReach(profile, tlb);
    const double pages = tlb.page_bytes > 0 ? 1 / static_cast<double>(tlb.page_bytes) : 1;
    table.rows.push_back({tlb.name, SizeCell(tlb.page_bytes, tlb.origin),
                          FoundOr(reach, WholeCell(tlb.entries, tlb.origin), pages),
                          FoundOr(reach, SizeCell(tlb.page_bytes * tlb.entries, tlb.origin)),
                          FigureOrNothing(tlb.miss)});
  }
  return table;
}

report::Table RateTable(const machine_profile::Profile& profile, bool whole) {
  report::Table table{"rates", "Rates", {{"name"}, {"rate"}, {"origin"}}, {}};
  if (whole) table.columns.push_back({"how", "", true});
  for (const machine_profile::Rate& rate : profile.rates) {
    table.rows.push_back(
        {rate.name, FigureCell(rate.figure, rate.unit), std::string(Name(OriginOf(rate.figure)))});
    if (whole) table.rows.back().emplace_back(rate.how);
  }
  return table;
}

report::Table DiscoveredTable(const machine_profile::Profile& profile) {
  report::Table table{"discovered",
                      "Discovered by measurement, beside what the system reports",
                      {{"what"}, {"measured"}, {"reported"}},
                      {}};
  for (const machine_profile::Discovery& discovery : profile.discovered) {
    report::Cell measured = Absent(discovery.reason);
    if (discovery.measured) {
      Measured cell = FigureCell(*discovery.measured, discovery.unit);
      if (discovery.Disagrees()) cell = Doubtful(cell, "differs from what the system reports");
      measured = std::move(cell);
    }
    report::Cell reported;
    if (discovery.reported) reported = WithUnit(discovery.unit, Known(*discovery.reported));
    table.rows.push_back({discovery.what, std::move(measured), std::move(reported)});
  }
  return table;
}

report::Table CurveTable(const machine_profile::Profile& profile,
                         std::span<const machine_profile::Curve* const> curves, bool whole) {
  report::Table table{"curves",
                      "Accesses per second by size of the working set",
                      {{"curve"}, {"bytes", "B"}, {"rate", "/s"}},
                      {}};
  if (whole) table.columns.push_back({"origin"});
  const std::size_t caches = whole ? CacheCount(profile) : 0;
  AddHitColumns(table, profile, caches, "");
  for (const machine_profile::Curve* curve : curves) {
    for (const machine_profile::CurvePoint& point : curve->points) {
      table.rows.push_back({CurveName(curve->key), SetCell(point.bytes), FigureCell(point.rate)});
      if (whole) table.rows.back().emplace_back(std::string(Name(OriginOf(point.rate))));
      AddHits(table.rows.back(), point, caches);
    }
  }
  return table;
}

report::Table HitTable(const machine_profile::Profile& profile,
                       std::span<const machine_profile::Curve* const> curves) {
  report::Table table{"hits",
                      "Computed hit rate of each cache, including the caches nearer to the core",
                      {{"curve"}, {"bytes", "B"}, {"rate", "/s"}},
                      {}};
  const std::size_t caches = CacheCount(profile);
  AddHitColumns(table, profile, caches, "%");
  for (const machine_profile::Curve* curve : curves) {
    std::uint64_t next = 0;
    for (const machine_profile::CurvePoint& point : curve->points) {
      if (point.bytes < next) continue;
      next = 2 * point.bytes;
      table.rows.push_back(
          {CurveName(curve->key), SetCell(point.bytes), WithoutInterval(FigureCell(point.rate))});
      for (std::size_t i = 0; i < std::min(caches, point.hits.size()); ++i) {
        table.rows.back().emplace_back(Number{std::round(point.hits[i] * 1e4) / 1e2});
      }
      table.rows.back().resize(table.columns.size());
    }
  }
  return table;
}

std::vector<Caveat> CaveatsOf(const machine_profile::Profile& profile) {
  std::vector<Caveat> caveats;
  if (profile.origin == Origin::kProjected) caveats.push_back({CaveatId::kProjected, ""});
  if (profile.origin == Origin::kPublished) caveats.push_back({CaveatId::kPublished, ""});
  std::size_t points = 0;
  std::size_t wide = 0;
  for (const machine_profile::Curve& curve : profile.curves) {
    for (const machine_profile::CurvePoint& point : curve.points) {
      if (OriginOf(point.rate) != Origin::kMeasured) continue;
      ++points;
      if (point.rate.verdict != Verdict::kValid) ++wide;
    }
  }
  const auto noisy = profile.conditions.find("noisy");
  if (noisy != profile.conditions.end()) {
    caveats.push_back({CaveatId::kNoisyMachine, noisy->second});
  } else if (wide > 0) {
    caveats.push_back(
        {CaveatId::kWideIntervals, fmt::format("{} of {} points", Grouped(wide), Grouped(points))});
  }
  std::vector<std::string> apart;
  for (const machine_profile::Discovery& discovery : profile.discovered) {
    if (!discovery.Disagrees()) continue;
    apart.push_back(fmt::format("{}: {}, reported {}", discovery.what,
                                Readable(discovery.measured->Value(), discovery.unit),
                                Readable(*discovery.reported, discovery.unit)));
  }
  if (!apart.empty()) {
    caveats.push_back({CaveatId::kNotAsReported, fmt::format("{}", fmt::join(apart, "; "))});
  }
  return caveats;
}

}  // namespace tare::cli
