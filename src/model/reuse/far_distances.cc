// far_distances.cc: scales the distances of sampled lines.
#include "model/reuse/far_distances.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "base/check.h"

namespace tare::reuse {
namespace {

constexpr std::uint64_t kMinCertain = 4;
constexpr std::uint64_t kMaxTable = 1 << 16;

}  // namespace

FarDistances::FarDistances(FarPlan plan)
    : plan_(std::move(plan)), sample_(plan_.rate_bits, plan_.seed, plan_.eligible) {
  CHECK(plan_.rate_bits <= 20 && plan_.max_lines > 0 && plan_.bin);
  weight_ = 1 / Share();
}

double FarDistances::Share() const { return std::ldexp(1, -static_cast<int>(sample_.rate_bits())); }

void FarDistances::Reference(std::uint64_t line, std::uint32_t owner) {
  const auto newer = stack_.Use(line);
  std::uint64_t bin = kCold;
  if (newer) {
    const Bins bins = *newer < bins_.size() ? bins_[*newer] : NextBins(*newer);
    bin = bins.bin;
    for (std::size_t at = bins.first_uncertain; at <= bins.last_uncertain; ++at)
      uncertain_[KeyOf(owner, at)] += weight_;
  }
  sums_[KeyOf(owner, bin)][sample_.PartOf(line)] += weight_;
  if (stack_.size() > plan_.max_lines) SampleFewer();
}

// The number of sampled lines in a distance is binomial. All sub-samples have the same ones, so
// this error does not show between them.
FarDistances::Bins FarDistances::BinsAt(std::uint64_t newer) const {
  const auto count = static_cast<double>(newer);
  const auto bin_of = [&](double lines) {
    const std::size_t bin = plan_.bin(static_cast<std::uint64_t>(std::max(0.0, lines) * weight_));
    CHECK(bin < kMaxDistanceBins);
    return static_cast<std::uint8_t>(bin);
  };
  const std::size_t bin = plan_.bin(static_cast<std::uint64_t>(std::round(count * weight_)));
  CHECK(bin < kMaxDistanceBins);
  Bins bins = {.bin = static_cast<std::uint8_t>(bin)};
  // So few are within many bins. Caches of that size are in the near zone.
  if (newer < kMinCertain) return bins;
  const double margin = 3 * std::sqrt((count + 1) * (1 - 1 / weight_));
  bins.first_uncertain = static_cast<std::uint8_t>(bin_of(count - margin) + 1);
  bins.last_uncertain = bin_of(count + margin);
  CHECK(bins.last_uncertain >= bins.bin);
  return bins;
}

// The table grows with the distances that there are.
FarDistances::Bins FarDistances::NextBins(std::uint64_t newer) {
  if (newer >= kMaxTable) return BinsAt(newer);
  while (bins_.size() <= newer) bins_.push_back(BinsAt(bins_.size()));
  return bins_.back();
}

void FarDistances::Touch(std::uint64_t line) { stack_.Touch(line); }

void FarDistances::SampleFewer() {
  if (sample_.rate_bits() == kMaxRateBits) return;
  sample_.Halve();
  weight_ = 1 / Share();
  bins_.clear();
  stack_.Keep([this](std::uint64_t line) { return IsSampled(line); });
}

std::vector<std::pair<std::uint32_t, FarDistances::Estimate>> FarDistances::Estimates() const {
  std::map<std::uint64_t, Sums> bins;
  sums_.ForEach(
      [&](std::uint64_t key, const SubSamples& sums) { bins[key] = {key % (kCold + 1), sums, 0}; });
  uncertain_.ForEach([&](std::uint64_t key, double sum) {
    bins.try_emplace(key, Sums{key % (kCold + 1), {}, 0}).first->second.uncertain = sum;
  });
  std::vector<std::pair<std::uint32_t, Estimate>> estimates;
  for (auto at = bins.begin(); at != bins.end();) {
    const auto owner = static_cast<std::uint32_t>(at->first / (kCold + 1));
    const auto end = bins.lower_bound(KeyOf(owner, kCold) + 1);
    std::vector<Sums> of_owner;
    for (; at != end; ++at) of_owner.push_back(at->second);
    estimates.emplace_back(owner, EstimateOf(of_owner));
  }
  return estimates;
}

FarDistances::Estimate FarDistances::EstimateOf(const std::vector<Sums>& bins) {
  // The mean square of what is on the wrong side of a boundary, as a share of the square of what is
  // within three standard deviations of it: the mean of the normal distribution's tail over them.
  constexpr double kMisplaced = 0.13;
  Estimate estimate;
  for (const Sums& sums : bins) {
    const double sum = std::accumulate(sums.at_distance.begin(), sums.at_distance.end(), 0.0);
    if (sums.bin == kCold) {
      estimate.cold = sum;
    } else {
      estimate.at_distance.resize(sums.bin + 1);
      estimate.at_distance[sums.bin] = sum;
    }
  }
  estimate.beyond_error.resize(estimate.at_distance.size() + 1);
  SubSamples beyond{};
  auto next = bins.rbegin();
  for (std::size_t bin = estimate.beyond_error.size(); bin-- > 0;) {
    double uncertain = 0;
    for (; next != bins.rend() && next->bin >= bin; ++next) {
      for (std::size_t i = 0; i < kSubSamples; ++i) beyond[i] += next->at_distance[i];
      if (next->bin == bin) uncertain = next->uncertain;
    }
    // The sub-samples are independent and of the same size, so the variance of their sum is their
    // number times the variance between them.
    const double mean = std::accumulate(beyond.begin(), beyond.end(), 0.0) / kSubSamples;
    double squares = 0;
    for (const double sum : beyond) squares += (sum - mean) * (sum - mean);
    estimate.beyond_error[bin] =
        std::sqrt(squares * kSubSamples / (kSubSamples - 1) + kMisplaced * uncertain * uncertain);
  }
  return estimate;
}

}  // namespace tare::reuse
