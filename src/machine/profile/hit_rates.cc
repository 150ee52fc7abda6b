// hit_rates.cc: hit rates of sequential and random accesses under LRU replacement.
#include "machine/profile/hit_rates.h"

#include <algorithm>

namespace tare::machine_profile {
namespace {

constexpr unsigned kUsualLine = 64;

// The share of lines that the cache has evicted before the next sweep accesses them. A sweep
// accesses all lines in the same order, so under LRU a set with more lines than ways misses on all
// of them, and every other set hits on all. With N lines in M sets, N mod M sets have one line more
// than the others.
double LostLines(const Level& cache, double bytes) {
  const auto capacity = static_cast<double>(cache.bytes);
  if (bytes <= capacity) return 0;
  if (cache.ways == 0) return 1;
  const double ways = cache.ways;
  return std::min(1.0, (ways + 1) * (bytes - capacity) / bytes);
}

double HitRate(const Level& cache, unsigned line, const CurveKey& key, double bytes) {
  const auto capacity = static_cast<double>(cache.bytes);
  const double lost = key.pattern == Pattern::kRandom ? 1 - std::min(1.0, capacity / bytes)
                                                      : LostLines(cache, bytes);
  return 1 - lost / AccessesPerLine(key, line);
}

}  // namespace

double AccessesPerLine(const CurveKey& key, unsigned line_bytes) {
  const double per_element = key.AccessesPerElement();
  if (key.pattern != Pattern::kStrided) return per_element;
  const double stride = static_cast<double>(key.stride) * key.element_bytes;
  return per_element * std::max(1.0, line_bytes / stride);
}

unsigned LineBytes(std::span<const Level> levels) {
  for (const Level& level : levels) {
    if (level.line_bytes != 0) return level.line_bytes;
  }
  return kUsualLine;
}

std::vector<double> HitRates(std::span<const Level> levels, const CurveKey& key,
                             std::uint64_t bytes) {
  std::vector<double> hits;
  const unsigned usual_line = LineBytes(levels);
  double nearer = 0;
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    const unsigned line = levels[i].line_bytes == 0 ? usual_line : levels[i].line_bytes;
    nearer = std::max(nearer, HitRate(levels[i], line, key, static_cast<double>(bytes)));
    hits.push_back(nearer);
  }
  return hits;
}

std::vector<double> ServedShares(std::span<const Level> levels, const CurveKey& key,
                                 std::uint64_t bytes) {
  std::vector<double> shares = HitRates(levels, key, bytes);
  shares.push_back(1);
  for (std::size_t i = shares.size() - 1; i > 0; --i) shares[i] -= shares[i - 1];
  return shares;
}

void FillHits(Profile& profile) {
  for (Curve& curve : profile.curves) {
    for (CurvePoint& point : curve.points) {
      if (point.hits.empty()) point.hits = HitRates(profile.levels, curve.key, point.bytes);
    }
  }
}

}  // namespace tare::machine_profile
