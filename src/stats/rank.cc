// rank.cc: ranks, and a radix sort of the leading bits of doubles.
#include "stats/rank.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace tare::stats {
namespace {

constexpr int kDigitBits = 11;
constexpr int kDigits = 3;
constexpr std::size_t kDigitValues = std::size_t{1} << kDigitBits;
constexpr std::size_t kWorthRadix = 512;

std::uint64_t KeyOf(double sample) {
  const std::uint64_t bits = std::bit_cast<std::uint64_t>(sample + 0.0);  // -0 becomes +0
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

// Sorts by the kDigits leading digits of the key range. Samples with equal leading digits are then
// adjacent and are sorted by comparison.
void RadixSort(std::vector<OrderedSample>& samples) {
  const auto [least, most] = std::ranges::minmax(samples, {}, &OrderedSample::key);
  const std::uint64_t base = least.key;
  const int bits = static_cast<int>(std::bit_width(most.key - base));
  const int shift = std::max(0, bits - kDigits * kDigitBits);
  const auto digit = [&](const OrderedSample& sample, int place) {
    return static_cast<std::size_t>((sample.key - base) >> (shift + place * kDigitBits)) &
           (kDigitValues - 1);
  };
  std::vector<std::array<std::size_t, kDigitValues>> starts(kDigits);
  for (const OrderedSample& sample : samples) {
    for (int place = 0; place < kDigits; ++place) {
      ++starts[static_cast<std::size_t>(place)][digit(sample, place)];
    }
  }
  std::vector<OrderedSample> other(samples.size());
  for (int place = 0; place < kDigits; ++place) {
    auto& start = starts[static_cast<std::size_t>(place)];
    if (std::ranges::find(start, samples.size()) != start.end()) continue;
    std::size_t sum = 0;
    for (std::size_t& count : start) sum += std::exchange(count, sum);
    for (const OrderedSample& sample : samples) other[start[digit(sample, place)]++] = sample;
    samples.swap(other);
  }
  if (shift == 0) return;
  for (auto run = samples.begin(); run != samples.end();) {
    const std::uint64_t lead = (run->key - base) >> shift;
    auto end = run + 1;
    while (end != samples.end() && (end->key - base) >> shift == lead) ++end;
    if (end - run > 1) std::ranges::sort(run, end, {}, &OrderedSample::key);
    run = end;
  }
}

// Calls body(begin, end) for each run of equal samples.
template <typename Body>
void ForTies(std::span<const OrderedSample> ordered, Body body) {
  for (std::size_t begin = 0; begin < ordered.size();) {
    std::size_t end = begin + 1;
    while (end < ordered.size() && ordered[end].key == ordered[begin].key) ++end;
    body(begin, end);
    begin = end;
  }
}

}  // namespace

std::vector<OrderedSample> InOrder(std::span<const double> samples) {
  std::vector<OrderedSample> ordered(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) ordered[i] = {KeyOf(samples[i]), i};
  if (samples.size() < kWorthRadix) {
    std::ranges::sort(ordered, {}, &OrderedSample::key);
  } else {
    RadixSort(ordered);
  }
  return ordered;
}

std::vector<double> AverageRanks(std::span<const double> samples) {
  const std::vector<OrderedSample> ordered = InOrder(samples);
  std::vector<double> ranks(samples.size());
  ForTies(ordered, [&](std::size_t begin, std::size_t end) {
    const double rank = static_cast<double>(begin + 1 + end) / 2;
    for (std::size_t i = begin; i < end; ++i) ranks[ordered[i].index] = rank;
  });
  return ranks;
}

std::vector<std::uint32_t> DenseRanks(std::span<const double> samples) {
  const std::vector<OrderedSample> ordered = InOrder(samples);
  std::vector<std::uint32_t> ranks(samples.size());
  std::uint32_t rank = 0;
  ForTies(ordered, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ranks[ordered[i].index] = rank;
    ++rank;
  });
  return ranks;
}

}  // namespace tare::stats
