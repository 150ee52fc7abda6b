// survey_plan.cc: a coarse grid, refined where the curve falls.
#include "machine/survey/survey_plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "base/check.h"

namespace tare::survey {
namespace {

using machine_profile::Access;
using machine_profile::CurveKey;
using machine_profile::Pattern;

constexpr std::array kAccesses = {Access::kLoad, Access::kStore, Access::kUpdate};
constexpr unsigned kWord = 8;

// A store yields no next address, so chains consist of loads or updates.
void AddChained(std::vector<CurveKey>& keys) {
  keys.push_back({Access::kLoad, Pattern::kChained, 1, kWord});
  keys.push_back({Access::kUpdate, Pattern::kChained, 1, kWord});
}

}  // namespace

std::vector<CurveKey> CurvesToMeasure(unsigned widest_vector, bool quick) {
  std::vector<CurveKey> keys;
  if (quick) {
    for (const Access access : kAccesses) {
      keys.push_back({access, Pattern::kStrided, 1, widest_vector});
    }
    keys.push_back({Access::kLoad, Pattern::kStrided, 1, kWord});
    keys.push_back({Access::kLoad, Pattern::kStrided, 8, kWord});
    keys.push_back({Access::kLoad, Pattern::kRandom, 1, kWord});
    keys.push_back({Access::kStore, Pattern::kRandom, 1, kWord});
    keys.push_back({Access::kLoad, Pattern::kChained, 1, kWord});
    return keys;
  }
  for (const unsigned element : {kWord, widest_vector}) {
    for (const Access access : kAccesses) {
      for (unsigned stride = 1; stride <= 64; stride *= 2) {
        keys.push_back({access, Pattern::kStrided, stride, element});
      }
      keys.push_back({access, Pattern::kRandom, 1, element});
    }
    if (widest_vector <= kWord) break;
  }
  AddChained(keys);
  return keys;
}

std::uint64_t NearestSize(double bytes) {
  CHECK(bytes >= 1);
  const double eighths = std::round(std::log2(bytes) * 8) / 8;
  return static_cast<std::uint64_t>(std::max(1.0, std::round(std::exp2(eighths) / 1024))) * 1024;
}

std::vector<std::uint64_t> CoarseSizes(const SizeRange& range, unsigned per_octave) {
  CHECK(std::has_single_bit(per_octave) && per_octave <= 8);
  CHECK(range.min >= 1 && range.min <= range.max);
  std::vector<std::uint64_t> sizes = {NearestSize(static_cast<double>(range.min))};
  const double first = std::log2(static_cast<double>(range.min));
  const double last = std::log2(static_cast<double>(range.max));
  // Aligned to fractions of an octave, so that ranges of different curves share sizes.
  for (double at = std::ceil(first * per_octave) / per_octave; at <= last; at += 1.0 / per_octave) {
    sizes.push_back(NearestSize(std::exp2(at)));
  }
  sizes.push_back(NearestSize(static_cast<double>(range.max)));
  std::ranges::sort(sizes);
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  std::erase_if(sizes, [&](std::uint64_t size) { return size < range.min || size > range.max; });
  return sizes;
}

std::vector<std::uint64_t> SizesAroundSteps(std::span<const SizeRate> points, double step) {
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 1; i < points.size(); ++i) {
    const SizeRate& a = points[i - 1];
    const SizeRate& b = points[i];
    CHECK(a.bytes < b.bytes);
    if (std::abs(std::log(a.rate / b.rate)) < std::log1p(step)) continue;
    const std::uint64_t middle =
        NearestSize(std::sqrt(static_cast<double>(a.bytes) * static_cast<double>(b.bytes)));
    if (middle > a.bytes && middle < b.bytes) sizes.push_back(middle);
  }
  return sizes;
}

}  // namespace tare::survey
