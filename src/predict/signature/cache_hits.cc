// cache_hits.cc: misses from the depths of the near zone, or from far distances by the binomial
// model of set conflicts (A. J. Smith, "A Comparative Study of Set Associative Memory Mapping
// Algorithms", 1978; Hill and Smith, "Evaluating Associativity in CPU Caches", 1989).
#include "predict/signature/cache_hits.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <optional>
#include <utility>

namespace tare::signature {

// Misses with the bounds of what they can be.
struct MissEstimate {
  double value = 0;
  double low = 0;
  double high = 0;
  bool exact = false;

  double HalfWidth() const { return (high - low) / 2; }
};

namespace {

using Estimate = MissEstimate;

constexpr double kLevel = 0.95;
constexpr double kNormal = 1.96;
// Points at which a probability is evaluated within a bin of distances.
constexpr int kPointsPerBin = 4;
// Chunks of the run for each one in which pages are counted.
constexpr double kPageWindows = 32;
// A share of the misses from which on conflicts exceed the noise.
constexpr double kClearConflicts = 0.02;

Measured ToMeasured(const Estimate& estimate) {
  if (estimate.exact) return Exact(static_cast<std::int64_t>(std::llround(estimate.value)));
  return Between(estimate.value, estimate.low, estimate.high, kLevel);
}

Estimate Clamped(Estimate estimate, double most) {
  if (estimate.value > most) estimate.exact = false;
  estimate.value = std::min(estimate.value, most);
  estimate.low = std::min(estimate.low, estimate.value);
  estimate.high = std::max(std::min(estimate.high, most), estimate.value);
  return estimate;
}

// The probability that at least `ways` of `distance` lines are in one set of `sets`.
double Overfilled(double distance, double sets, double ways) {
  if (sets <= 1) return distance >= ways ? 1 : 0;
  if (distance < ways) return 0;
  const double share = 1 / sets;
  const double mean = distance * share;
  if (mean > 600) {  // exp(-mean) underflows: the normal distribution, with continuity correction
    const double deviation = std::sqrt(mean * (1 - share));
    return 0.5 * std::erfc((ways - 0.5 - mean) / deviation / std::numbers::sqrt2);
  }
  double term = std::exp(distance * std::log1p(-share));
  double below = 0;
  for (double k = 0; k < ways; ++k) {
    below += term;
    term *= (distance - k) / (k + 1) * share / (1 - share);
    if (term < 1e-18 && k > mean) break;
  }
  return std::clamp(1 - below, 0.0, 1.0);
}

struct Range {
  double start;
  double end;  // not included
};

Range BinRange(std::size_t bin) {
  const auto start = static_cast<double>(DistanceBinStart(bin));
  if (bin + 1 >= kDistanceBins) return {start, start * std::exp2(0.25)};
  return {start, std::max(static_cast<double>(DistanceBinStart(bin + 1)), start + 1)};
}

// How much of a bin misses: on average, and with all of it at its start or at its end.
Estimate BinShare(std::size_t bin, double sets, double ways) {
  const Range range = BinRange(bin);
  Estimate share;
  share.low = Overfilled(range.start, sets, ways);
  share.high = Overfilled(range.end - 1, sets, ways);
  if (share.low == share.high) {
    share.value = share.low;
    return share;
  }
  if (sets <= 1) {  // evenly within the bin
    share.value = std::clamp((range.end - ways) / (range.end - range.start), 0.0, 1.0);
    return share;
  }
  for (int i = 0; i < kPointsPerBin; ++i) {
    const double at = range.start + (range.end - 1 - range.start) * (i + 0.5) / kPointsPerBin;
    share.value += Overfilled(at, sets, ways) / kPointsPerBin;
  }
  return share;
}

}  // namespace

// How much of each bin misses, by sets and ways.
class BinShares {
 public:
  const std::vector<MissEstimate>& Of(double sets, double ways) {
    const auto [found, is_new] = known_.try_emplace({sets, ways});
    if (is_new) {
      for (std::size_t bin = 0; bin < kDistanceBins; ++bin)
        found->second.push_back(BinShare(bin, sets, ways));
    }
    return found->second;
  }

 private:
  std::map<std::pair<double, double>, std::vector<MissEstimate>> known_;
};

namespace {

class BlockHits {
 public:
  BlockHits(const Block& block, const Grid& grid, bool near_exact, BinShares& shares)
      : block_(block), grid_(grid), near_exact_(near_exact), shares_(shares) {}

  double References() const {
    if (block_.near.at_depth.empty()) return static_cast<double>(block_.References());
    return std::accumulate(block_.near.at_depth.begin(),
                           block_.near.at_depth.begin() + static_cast<std::ptrdiff_t>(Depths()),
                           0.0);
  }

  Estimate Misses(const CacheShape& cache) const {
    if (std::ranges::find(grid_.line_bytes, cache.line_bytes) == grid_.line_bytes.end())
      return OtherLine(cache);
    const unsigned ways = cache.ways;
    const double sets = ways == 0 ? 1 : Sets(cache);
    if (ways != 0 && ways <= grid_.max_ways) {
      if (const auto near = Near(cache.line_bytes, sets, ways)) return *near;
    }
    return Far(cache);
  }

  double WriteBacks(const CacheShape& cache, double misses) const {
    if (block_.near.write_backs.empty()) return 0;
    const auto line = NearestLine(cache.line_bytes);
    const double way_bytes = cache.ways == 0 ? 0 : static_cast<double>(cache.bytes) / cache.ways;
    const auto shape = grid_.ShapeOf(line, static_cast<std::uint64_t>(way_bytes) / line);
    if (shape && cache.ways <= grid_.max_ways && line == cache.line_bytes)
      return static_cast<double>(WriteBacksAt(*shape, cache.ways));
    // As many of its misses as in the largest cache of the near zone that is not larger.
    const CacheShape near = LargestNearWithin(cache.bytes, line);
    const auto inner = grid_.ShapeOf(line, near.bytes / near.ways / line);
    if (!inner) return 0;
    const auto missed = static_cast<double>(MissesAt(*inner, near.ways));
    if (missed == 0) return 0;
    return misses * std::min(1.0, static_cast<double>(WriteBacksAt(*inner, near.ways)) / missed);
  }

  Estimate TlbMisses(const TlbShape& tlb) const {
    const auto listed = std::ranges::find(grid_.page_bytes, tlb.page_bytes);
    if (listed != grid_.page_bytes.end()) return Pages(Index(listed), Entries(tlb.entries));
    // Between the neighbours, with the same reach. With the same entries, a TLB for larger pages
    // contains all that one for smaller pages does.
    const auto above = std::ranges::upper_bound(grid_.page_bytes, tlb.page_bytes);
    const double entries = Entries(tlb.entries);
    const auto same_reach = [&](std::vector<std::uint64_t>::const_iterator page) {
      const double ratio = static_cast<double>(tlb.page_bytes) / static_cast<double>(*page);
      return Pages(Index(page), std::max(1.0, std::round(entries * ratio))).value;
    };
    Estimate between;
    between.high = References();
    std::vector<double> values;
    if (above != grid_.page_bytes.begin()) {
      values.push_back(same_reach(above - 1));
      between.high = Pages(Index(above - 1), entries).high;
    }
    if (above != grid_.page_bytes.end()) {
      values.push_back(same_reach(above));
      between.low = Pages(Index(above), entries).low;
    }
    between.value = values.size() == 2 ? std::sqrt(values[0] * values[1]) : values[0];
    between.value = std::clamp(between.value, between.low, std::max(between.low, between.high));
    return between;
  }

 private:
  std::size_t Depths() const { return grid_.Depths(); }
  static double Entries(std::uint64_t entries) { return static_cast<double>(entries); }
  std::size_t Index(std::vector<std::uint64_t>::const_iterator page) const {
    return static_cast<std::size_t>(page - grid_.page_bytes.begin());
  }

  static double Sets(const CacheShape& cache) {
    return static_cast<double>(cache.bytes) / cache.ways / cache.line_bytes;
  }

  std::uint64_t MissesAt(std::size_t shape, unsigned ways) const {
    if (block_.near.at_depth.empty()) return 0;
    std::uint64_t misses = 0;
    for (std::size_t depth = ways; depth < Depths(); ++depth)
      misses += block_.near.at_depth[shape * Depths() + depth];
    return misses;
  }

  std::uint64_t WriteBacksAt(std::size_t shape, unsigned ways) const {
    if (block_.near.write_backs.empty()) return 0;
    return block_.near.write_backs[shape * grid_.max_ways + ways - 1];
  }

  Estimate NearAt(std::size_t shape, unsigned ways) const {
    Estimate estimate;
    estimate.value = static_cast<double>(MissesAt(shape, ways));
    estimate.exact = near_exact_;
    const double error = near_exact_ ? 0 : kNormal * block_.near.ErrorOf(estimate.value);
    estimate.low = std::max(0.0, estimate.value - error);
    estimate.high = estimate.value + error;
    return estimate;
  }

  // Between two powers of two of sets: by the logarithm, and anything between the two.
  std::optional<Estimate> Near(unsigned line, double sets, unsigned ways) const {
    const double power = std::log2(sets);
    const auto below = static_cast<std::uint64_t>(std::exp2(std::floor(power)));
    const auto shape = grid_.ShapeOf(line, below);
    if (!shape) return std::nullopt;
    const Estimate smaller = NearAt(*shape, ways);
    const double part = power - std::floor(power);
    if (part == 0) return smaller;
    const auto next = grid_.ShapeOf(line, below * 2);
    if (!next) return std::nullopt;
    const Estimate larger = NearAt(*next, ways);
    Estimate estimate;
    estimate.value = smaller.value + (larger.value - smaller.value) * part;
    estimate.low = std::min(smaller.low, larger.low);
    estimate.high = std::max(smaller.high, larger.high);
    return estimate;
  }

  unsigned NearestLine(unsigned line) const {
    return *std::ranges::min_element(grid_.line_bytes, {}, [line](unsigned known) {
      return std::abs(std::log2(static_cast<double>(known) / line));
    });
  }

  // The largest cache of the near zone with at most so many bytes, or else the smallest one.
  CacheShape LargestNearWithin(std::uint64_t bytes, unsigned line) const {
    CacheShape best{grid_.min_way_bytes, 1, line};
    for (std::uint64_t way = grid_.min_way_bytes; way <= grid_.max_way_bytes; way *= 2) {
      const auto ways = static_cast<unsigned>(std::min<std::uint64_t>(bytes / way, grid_.max_ways));
      if (ways >= 1 && way * ways > best.bytes) best = {way * ways, ways, line};
    }
    return best;
  }

  // An upper bound: with at least as many sets and ways, an LRU cache contains all lines of the
  // smaller one (set refinement; Hill and Smith, 1989).
  double NearBound(const CacheShape& cache) const {
    double bound = References();
    if (block_.near.at_depth.empty()) return bound;
    const double sets = cache.ways == 0 ? 0 : Sets(cache);
    const bool refines = cache.ways != 0 && std::has_single_bit(static_cast<std::uint64_t>(sets));
    for (std::uint64_t way = grid_.min_way_bytes; way <= grid_.max_way_bytes; way *= 2) {
      const std::uint64_t fewer = way / cache.line_bytes;
      const auto shape = grid_.ShapeOf(cache.line_bytes, fewer);
      if (!shape || !refines || static_cast<double>(fewer) > sets) continue;
      const unsigned ways = std::min(cache.ways, grid_.max_ways);
      bound = std::min(bound, static_cast<double>(MissesAt(*shape, ways)));
    }
    return bound;
  }

  // In lines of the far zone, by distances alone.
  Estimate FarLines(std::uint64_t bytes, unsigned of_ways) const {
    const double lines = static_cast<double>(bytes) / grid_.far_line_bytes;
    const double sets = of_ways == 0 ? 1 : lines / of_ways;
    const double ways = lines / sets;
    Estimate estimate;
    estimate.value = estimate.low = estimate.high = block_.far.cold;
    double error = 0;
    bool crossed = false;
    const auto& bins = block_.far.at_distance;
    const std::vector<Estimate>& shares = shares_.Of(sets, ways);
    for (std::size_t bin = 0; bin < std::min(bins.size(), kDistanceBins); ++bin) {
      const Estimate& share = shares[bin];
      estimate.value += bins[bin] * share.value;
      estimate.low += bins[bin] * share.low;
      estimate.high += bins[bin] * share.high;
      if (!crossed && share.value >= 0.5) {
        crossed = true;
        if (bin < block_.far.beyond_error.size()) error = block_.far.beyond_error[bin];
      }
    }
    if (!crossed && !block_.far.beyond_error.empty()) error = block_.far.beyond_error.back();
    const double below = std::hypot(estimate.value - estimate.low, kNormal * error);
    const double above = std::hypot(estimate.high - estimate.value, kNormal * error);
    estimate.low = std::max(0.0, estimate.value - below);
    estimate.high = estimate.value + above;
    return estimate;
  }

  // How much of the conflicts that the binomial model expects happens: from the near cache with the
  // same ways and the most sets. Addresses that select sets are not random.
  double ConflictShare(unsigned ways) const {
    const std::uint64_t bytes = std::uint64_t{grid_.max_way_bytes} * ways;
    const auto shape =
        grid_.ShapeOf(grid_.far_line_bytes, grid_.max_way_bytes / grid_.far_line_bytes);
    if (!shape || block_.near.at_depth.empty()) return 1;
    const Estimate associative = FarLines(bytes, 0);
    const Estimate model = FarLines(bytes, ways);
    const double expected = model.value - associative.value;
    const double noise = std::max(associative.HalfWidth(), model.HalfWidth());
    if (expected < kClearConflicts * model.value || expected < noise) return 1;
    const auto exact = static_cast<double>(MissesAt(*shape, ways));
    return std::clamp((exact - associative.value) / expected, 0.0, 2.0);
  }

  Estimate Far(const CacheShape& cache) const {
    Estimate estimate = FarLines(cache.bytes, cache.ways);
    if (cache.ways != 0) {
      const double associative = FarLines(cache.bytes, 0).value;
      const double share = ConflictShare(std::min(cache.ways, grid_.max_ways));
      const double corrected = associative + (estimate.value - associative) * share;
      // Both are possible.
      const double change = corrected - estimate.value;
      estimate.low = std::max(0.0, estimate.low + std::min(0.0, change));
      estimate.high += std::max(0.0, change);
      estimate.value = std::max(0.0, corrected);
    }
    if (cache.line_bytes != grid_.far_line_bytes) estimate = ScaledToLine(estimate, cache);
    return Clamped(estimate, NearBound(cache));
  }

  // How misses change when lines are twice as long: from the largest caches of the near zone.
  double PerDoubling(std::uint64_t bytes) const {
    constexpr double kUnknown = 0.7;  // between halving and no change
    if (grid_.line_bytes.size() < 2) return kUnknown;
    const auto misses = [&](unsigned line) {
      const CacheShape near = LargestNearWithin(bytes, line);
      const auto shape = grid_.ShapeOf(line, near.bytes / near.ways / line);
      return shape ? static_cast<double>(MissesAt(*shape, near.ways)) : 0.0;
    };
    const unsigned first = grid_.line_bytes.front();
    const unsigned last = grid_.line_bytes.back();
    const double fewer = misses(first);
    if (fewer == 0) return kUnknown;
    const double doublings = std::log2(static_cast<double>(last) / first);
    return std::clamp(std::pow(misses(last) / fewer, 1 / doublings), 0.5, 1.0);
  }

  // From lines of the far zone to those of the cache. At worst nothing changes, at best the number
  // of misses is inverse to the length.
  Estimate ScaledToLine(const Estimate& estimate, const CacheShape& cache) const {
    return ScaledFrom(estimate, grid_.far_line_bytes, cache);
  }

  Estimate ScaledFrom(const Estimate& estimate, unsigned line, const CacheShape& cache) const {
    const double doublings = std::log2(static_cast<double>(cache.line_bytes) / line);
    const double factor = std::pow(PerDoubling(cache.bytes), doublings);
    const double other = std::exp2(-doublings);
    Estimate scaled;
    scaled.value = estimate.value * factor;
    scaled.low = estimate.low * std::min(1.0, other);
    scaled.high = estimate.high * std::max(1.0, other);
    return scaled;
  }

  Estimate OtherLine(const CacheShape& cache) const {
    CacheShape near = cache;
    near.line_bytes = NearestLine(cache.line_bytes);
    const Estimate scaled = ScaledFrom(Misses(near), near.line_bytes, cache);
    return Clamped(scaled, std::max(References(), scaled.value));
  }

  // References at a page distance of `entries` or more. Pages are sampled in windows.
  Estimate Pages(std::size_t page, double entries) const {
    Estimate estimate;
    estimate.exact = true;
    if (page >= block_.pages.size()) return estimate;
    const PageReuse& reuse = block_.pages[page];
    estimate.value = estimate.low = estimate.high = static_cast<double>(reuse.cold);
    const std::vector<Estimate>& shares = shares_.Of(1, entries);
    for (std::size_t bin = 0; bin < std::min(reuse.at_distance.size(), kDistanceBins); ++bin) {
      const auto count = static_cast<double>(reuse.at_distance[bin]);
      if (count == 0) continue;
      const Estimate& share = shares[bin];
      estimate.value += count * share.value;
      estimate.low += count * share.low;
      estimate.high += count * share.high;
    }
    const double error = kNormal * std::sqrt(kPageWindows * estimate.value);
    estimate.exact = estimate.high == 0;
    const double below = std::hypot(estimate.value - estimate.low, error);
    const double above = std::hypot(estimate.high - estimate.value, error);
    estimate.low = std::max(0.0, estimate.value - below);
    estimate.high = estimate.value + above;
    return estimate;
  }

  const Block& block_;
  const Grid& grid_;
  bool near_exact_;
  BinShares& shares_;
};

Measured SumOfMisses(const Measured& a, const Measured& b) {
  if (a.exact && b.exact)
    return Exact(static_cast<std::int64_t>(std::llround(a.Value() + b.Value())));
  return Between(a.Value() + b.Value(), a.Low() + b.Low(), a.High() + b.High(), kLevel);
}

}  // namespace

HierarchyModel::HierarchyModel(Grid grid, Hierarchy hierarchy, bool near_exact)
    : grid_(std::move(grid)),
      hierarchy_(std::move(hierarchy)),
      near_exact_(near_exact),
      shares_(std::make_unique<BinShares>()) {}
HierarchyModel::~HierarchyModel() = default;
HierarchyModel::HierarchyModel(HierarchyModel&&) noexcept = default;
HierarchyModel& HierarchyModel::operator=(HierarchyModel&&) noexcept = default;

LevelUse HierarchyModel::UseOf(const Block& block) const {
  const BlockHits hits(block, grid_, near_exact_, *shares_);
  LevelUse use;
  use.references = hits.References();
  double most = use.references;
  for (const CacheShape& cache : hierarchy_.caches) {
    const Estimate misses = Clamped(hits.Misses(cache), most);
    most = misses.value;
    use.misses.push_back(ToMeasured(misses));
    use.write_backs.push_back(hits.WriteBacks(cache, misses.value));
  }
  double max_tlb_misses = use.references;
  for (const TlbShape& tlb : hierarchy_.tlbs) {
    const Estimate misses = Clamped(hits.TlbMisses(tlb), max_tlb_misses);
    max_tlb_misses = misses.value;
    use.tlb_misses.push_back(ToMeasured(misses));
  }
  return use;
}

LevelUse UseOf(const Block& block, const Grid& grid, const Hierarchy& hierarchy, bool near_exact) {
  return HierarchyModel(grid, hierarchy, near_exact).UseOf(block);
}

void AddUse(const LevelUse& use, LevelUse& to) {
  if (to.misses.empty() && to.tlb_misses.empty()) {
    to = use;
    return;
  }
  to.references += use.references;
  for (std::size_t i = 0; i < to.misses.size(); ++i) {
    to.misses[i] = SumOfMisses(to.misses[i], use.misses[i]);
    to.write_backs[i] += use.write_backs[i];
  }
  for (std::size_t i = 0; i < to.tlb_misses.size(); ++i)
    to.tlb_misses[i] = SumOfMisses(to.tlb_misses[i], use.tlb_misses[i]);
}

Measured HitRate(const Measured& misses, double references) {
  if (references <= 0) return Absent("no references");
  const auto rate = [references](double number) {
    return std::clamp(1 - number / references, 0.0, 1.0);
  };
  if (misses.exact) {
    Measured hit = Known(rate(misses.Value()));
    hit.exact = true;
    return hit;
  }
  return Between(rate(misses.Value()), rate(misses.High()), rate(misses.Low()), kLevel);
}

}  // namespace tare::signature
