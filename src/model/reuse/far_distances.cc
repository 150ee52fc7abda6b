// far_distances.cc: scales the distances of sampled lines.
#include "model/reuse/far_distances.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "base/check.h"

namespace tare::reuse {

FarDistances::FarDistances(FarPlan plan)
    : plan_(std::move(plan)),
      seed_(plan_.seed * 0xd6e8'feb8'6659'fd93),
      threshold_(std::uint64_t{1} << (kHashBits - plan_.rate_bits)) {
  CHECK(plan_.rate_bits <= 16 && plan_.max_lines > 0 && plan_.bin);
}

double FarDistances::Share() const {
  return static_cast<double>(threshold_) / static_cast<double>(std::uint64_t{1} << kHashBits);
}

void FarDistances::Reference(std::uint64_t line, std::uint32_t owner) {
  const double weight = 1 / Share();
  const auto newer = stack_.Remove(line);
  stack_.Push(line);
  std::uint64_t bin = kCold;
  if (newer) {
    const double distance = std::round(static_cast<double>(*newer) * weight);
    bin = plan_.bin(static_cast<std::uint64_t>(distance));
    CHECK(bin < kMaxDistanceBins);
  }
  // The lowest bits of the hash are independent of the threshold, which has many low zero bits.
  sums_[std::uint64_t{owner} * (kCold + 1) + bin][HashOf(line) % kSubSamples] += weight;
  if (stack_.size() > plan_.max_lines) SampleFewer();
}

void FarDistances::Touch(std::uint64_t line) {
  stack_.Remove(line);
  stack_.Push(line);
}

void FarDistances::SampleFewer() {
  if (threshold_ <= kSubSamples) return;
  threshold_ /= 2;
  stack_.Keep([this](std::uint64_t line) { return IsSampled(line); });
}

std::vector<std::pair<std::uint32_t, FarDistances::Estimate>> FarDistances::Estimates() const {
  std::map<std::uint32_t, std::vector<std::pair<std::uint64_t, SubSamples>>> owners;
  sums_.ForEach([&](std::uint64_t key, const SubSamples& sums) {
    owners[static_cast<std::uint32_t>(key / (kCold + 1))].emplace_back(key % (kCold + 1), sums);
  });
  std::vector<std::pair<std::uint32_t, Estimate>> estimates;
  for (auto& [owner, bins] : owners) {
    std::ranges::sort(bins, {}, [](const auto& bin) { return bin.first; });
    estimates.emplace_back(owner, EstimateOf(bins));
  }
  return estimates;
}

// The sub-samples are independent and of the same size, so the variance of their sum is their
// number times the variance between them.
FarDistances::Estimate FarDistances::EstimateOf(
    const std::vector<std::pair<std::uint64_t, SubSamples>>& bins) {
  Estimate estimate;
  for (const auto& [bin, sums] : bins) {
    double sum = 0;
    for (const double of_sub_sample : sums) sum += of_sub_sample;
    if (bin == kCold) {
      estimate.cold = sum;
    } else {
      estimate.at_distance.resize(bin + 1);
      estimate.at_distance[bin] = sum;
    }
  }
  estimate.beyond_error.resize(estimate.at_distance.size() + 1);
  SubSamples beyond{};
  auto next = bins.rbegin();
  const auto add_from = [&](std::uint64_t bin) {
    for (; next != bins.rend() && next->first >= bin; ++next)
      for (std::size_t i = 0; i < kSubSamples; ++i) beyond[i] += next->second[i];
  };
  for (std::size_t bin = estimate.beyond_error.size(); bin-- > 0;) {
    add_from(bin);
    double mean = 0;
    for (const double sum : beyond) mean += sum / kSubSamples;
    double squares = 0;
    for (const double sum : beyond) squares += (sum - mean) * (sum - mean);
    estimate.beyond_error[bin] = std::sqrt(squares * kSubSamples / (kSubSamples - 1));
  }
  return estimate;
}

}  // namespace tare::reuse
