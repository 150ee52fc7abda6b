// discover_findings.cc: levels, TLBs, discoveries and graphs of a profile.
#include "machine/survey/discover_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "machine/host/finding_rows.h"

namespace tare::survey {
namespace {

using machine_profile::kConfidence;

// The interval always contains the value: the nominal size may exceed the measured one.
Measured FigureOf(const Measured& range, double value) {
  return Between(value, std::min(range.Low(), value), std::max(range.High(), value), kConfidence);
}

Measured FigureOf(const Measured& range) { return FigureOf(range, range.Value()); }

// An interval of zero width.
Measured Exactly(double value) { return Between(value, value, value, kConfidence); }

// So wide an interval means that something else evicted lines during the measurement.
constexpr double kWideCapacity = 0.2;

std::string ScatterOf(const Measured& found, double value) {
  if (found.High() - found.Low() <= kWideCapacity * value) return "";
  return "it varies: other work may use the caches of this core";
}

Measured DoubtfulIf(const std::string& reason, Measured figure) {
  return reason.empty() ? figure : Doubtful(std::move(figure), reason);
}

const host::Cache* ReportedCache(const host::Topology& topology, unsigned level) {
  for (const host::Cache& cache : topology.caches) {
    if (cache.level == level && cache.kind != host::CacheKind::kInstruction) return &cache;
  }
  return nullptr;
}

std::optional<double> Known(double value) {
  return value > 0 ? std::optional<double>(value) : std::nullopt;
}

class Findings {
 public:
  Findings(const Measurements& measured, const host::Topology& reported, const ReportedPages& pages,
           bool quick)
      : measured_(measured), reported_(reported), pages_(pages), quick_(quick) {}

  Found All() {
    First();
    Outer("L2", 2, measured_.outer.second);
    Outer("L3", 3, measured_.outer.third);
    Memory();
    SmallPages();
    HugePages();
    Graphs();
    return std::move(found_);
  }

 private:
  void Add(std::string what, std::string unit, std::optional<Measured> measured, std::string reason,
           std::optional<double> reported) {
    if (measured) reason.clear();
    found_.discovered.push_back(
        {std::move(what), std::move(unit), std::move(measured), std::move(reason), reported});
  }

  void First() {
    const host::Cache* const cache = ReportedCache(reported_, 1);
    const auto& first = measured_.first;
    std::optional<Measured> line;
    std::optional<Measured> capacity;
    std::optional<Measured> ways;
    if (measured_.line_bytes) line = Exactly(static_cast<double>(*measured_.line_bytes));
    const double bytes = first ? FirstBytes(*first) : 0;
    std::string doubt = first ? ScatterOf(first->found, bytes) : "";
    if (first && measured_.first_set && measured_.first_set->Capacity() != first->bytes) {
      doubt = "lines that share a set give another value: other work may use the cache too";
    }
    if (first) capacity = DoubtfulIf(doubt, FigureOf(first->found, bytes));
    if (measured_.first_set) ways = DoubtfulIf(doubt, Exactly(measured_.first_set->ways));
    Add("line size", "B", line, "pairs of loads cost the same at all distances",
        cache ? Known(cache->line_bytes) : std::nullopt);
    Add("L1 capacity", "B", capacity, "loads cost the same on all sets up to 512 KiB",
        cache ? Known(static_cast<double>(cache->bytes)) : std::nullopt);
    Add("L1 associativity", "ways", ways, "loads cost the same at all distances between lines",
        cache ? Known(cache->ways) : std::nullopt);
    if (!first) return;
    machine_profile::Level level;
    level.name = "L1";
    level.bytes = WholeLines(bytes);
    level.line_bytes = Line();
    level.ways = FittingWays(level.bytes, measured_.first_set ? measured_.first_set->ways : 0);
    level.latency = FigureOf(measured_.first_latency);
    found_.levels.push_back(std::move(level));
  }

  unsigned Line() const { return static_cast<unsigned>(measured_.line_bytes.value_or(0)); }

  void Outer(const std::string& name, unsigned number, const std::optional<OuterCache>& cache) {
    const host::Cache* const reported = ReportedCache(reported_, number);
    if (!cache && reported == nullptr) return;
    std::optional<Measured> capacity;
    std::optional<Measured> ways;
    std::string no_ways = measured_.outer.reason;
    if (cache) {
      std::string doubt =
          cache->doubt.empty() ? ScatterOf(cache->found, cache->bytes) : cache->doubt;
      if (!IsLarger(*cache)) {
        doubt = "it is not larger than the previous level: other work occupies most of it";
      }
      capacity = DoubtfulIf(doubt, FigureOf(cache->found, cache->bytes));
      no_ways = quick_ ? "a quick survey does not measure it"
                       : "the sets of lines in it can be neither chosen nor observed";
      if (cache->ways) ways = WaysFigure(*cache->ways);
    }
    Add(name + " capacity", "B", capacity, measured_.outer.reason,
        reported ? Known(static_cast<double>(reported->bytes)) : std::nullopt);
    Add(name + " associativity", "ways", ways, no_ways,
        reported ? Known(reported->ways) : std::nullopt);
    if (!cache || !IsLarger(*cache)) return;
    machine_profile::Level level;
    level.name = name;
    level.bytes = WholeLines(cache->bytes);
    level.line_bytes = Line();
    level.ways = FittingWays(level.bytes, cache->ways ? cache->ways->ways : 0);
    level.latency = FigureOf(cache->latency);
    found_.levels.push_back(std::move(level));
  }

  // On a busy machine the available part of a shared cache can be smaller than the previous level.
  bool IsLarger(const OuterCache& cache) const {
    return found_.levels.empty() || WholeLines(cache.bytes) > found_.levels.back().bytes;
  }

  // Lines that share a set are disturbed less than all lines together. Where the two capacities
  // differ by less than a factor of two, the one from the set is used.
  double FirstBytes(const FirstCache& first) const {
    if (!measured_.first_set) return first.bytes;
    const double by_set = measured_.first_set->Capacity();
    const double ratio = by_set / first.found.Value();
    return ratio > 0.5 && ratio < 2 ? by_set : first.bytes;
  }

  // Ways that do not divide the number of lines contradict the capacity: one of them is wrong.
  unsigned FittingWays(std::uint64_t bytes, unsigned ways) const {
    const std::uint64_t lines = bytes / std::max(Line(), 1u);
    return ways != 0 && lines % ways == 0 ? ways : 0;
  }

  std::uint64_t WholeLines(double bytes) const {
    const std::uint64_t line = std::max(Line(), 1u);
    return static_cast<std::uint64_t>(bytes) / line * line;
  }

  static Measured WaysFigure(const WaysEstimate& ways) {
    const Measured figure = FigureOf(Between(ways.ways, ways.low, ways.high, kConfidence));
    return DoubtfulIf(
        ways.low == ways.high ? "" : "different page placements give different values", figure);
  }

  void Memory() {
    machine_profile::Level level;
    level.name = "memory";
    level.bytes = reported_.memory_bytes;
    level.line_bytes = Line();
    if (measured_.outer.memory) level.latency = FigureOf(*measured_.outer.memory);
    found_.levels.push_back(std::move(level));
  }

  // Levels measured with places `unit` bytes apart, on pages of `page_bytes`.
  void AddTlbs(const Tlbs& tlbs, double unit, double page_bytes, const std::string& with) {
    for (std::size_t i = 0; i < tlbs.levels.size(); ++i) {
      const TlbLevel& level = tlbs.levels[i];
      const Measured reach = Scaled(level.found, unit);
      const std::string name = fmt::format("TLB {}", i + 1);
      // Measured sizes of the outer levels vary between surveys by more than their interval.
      const bool partly = i > 0;
      Add(name + " reach" + with, "B",
          DoubtfulIf(
              partly ? "it varies between surveys: page walks seem to occupy a part of it" : "",
              FigureOf(reach, level.pages * unit)),
          "", std::nullopt);
      machine_profile::Tlb tlb;
      tlb.name = name;
      tlb.page_bytes = static_cast<std::uint64_t>(page_bytes);
      tlb.entries = static_cast<std::uint64_t>(level.pages * unit / page_bytes);
      const Measured miss = FigureOf(level.miss);
      tlb.miss = miss;
      found_.rates.push_back({fmt::format("{} miss, pages of {}", name,
                                          host::Bytes(static_cast<std::uint64_t>(page_bytes))),
                              "s", *tlb.miss,
                              "random loads, one per page, over more pages than it has entries"});
      found_.tlbs.push_back(std::move(tlb));
    }
  }

  void SmallPages() {
    std::optional<Measured> page;
    if (measured_.page_bytes) page = Exactly(static_cast<double>(*measured_.page_bytes));
    Add("page size", "B", page, "loads cost the same at all distances between pages",
        Known(pages_.page_bytes));
    // An entry covers a page of the kernel at least.
    const double page_bytes =
        std::max(static_cast<double>(measured_.page_bytes.value_or(0)), pages_.page_bytes);
    if (measured_.small && !measured_.small->levels.empty()) {
      AddTlbs(*measured_.small, kBlockBytes, page_bytes, "");
    } else {
      Add("TLB 1 reach", "B", std::nullopt, "loads cost the same on any number of pages",
          std::nullopt);
    }
  }

  void HugePages() {
    const auto bytes = static_cast<double>(measured_.huge_bytes.value_or(0));
    std::optional<Measured> page;
    if (measured_.huge_bytes) {
      // A host that backs guest memory with small pages reduces the reach of the guest's huge
      // pages.
      const bool cut = bytes < pages_.huge_bytes.value_or(0);
      page = DoubtfulIf(cut ? "huge pages were requested, but a TLB entry covers less" : "",
                        Exactly(bytes));
    }
    Add("huge page size", "B", page, "not enough memory or TLB entries to determine it",
        pages_.huge_bytes);
    if (measured_.huge) AddTlbs(*measured_.huge, bytes, bytes, " with huge pages");
  }

  void Graphs() {
    AddGraph("random load", "working set", "B", measured_.costs);
    if (measured_.small) AddGraph("loads on pages", "pages", "", measured_.small->curve);
  }

  void AddGraph(const std::string& name, const std::string& x_name, const std::string& x_unit,
                std::span<const CostSamples> costs) {
    machine_profile::Graph graph{name, x_name, x_unit, "s", {}};
    for (const CostSamples& cost : costs) {
      const double less = measured_.walk_overhead;
      const double seconds = MiddleMean(cost.seconds) - less;
      // The overhead was measured at another moment: if the processor was slower then, nothing may
      // be left, which is no time of a load.
      if (!(seconds > 0)) continue;
      const Measured range =
          Between(seconds, std::max(0.0, SampleQuantile(cost.seconds, 0.1) - less),
                  SampleQuantile(cost.seconds, 0.9) - less, kConfidence);
      graph.points.push_back({cost.size, FigureOf(range)});
    }
    if (!graph.points.empty()) found_.graphs.push_back(std::move(graph));
  }

  const Measurements& measured_;
  const host::Topology& reported_;
  const ReportedPages& pages_;
  bool quick_;
  Found found_;
};

}  // namespace

Found FindingsOf(const Measurements& measured, const host::Topology& reported,
                 const ReportedPages& pages, bool quick) {
  return Findings(measured, reported, pages, quick).All();
}

}  // namespace tare::survey
