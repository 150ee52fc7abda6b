// sparkline.cc: draws sparklines with block characters of eight heights.
#include "report/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

namespace tare::report {
namespace {

constexpr std::array<std::string_view, 8> kHeights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};

std::vector<double> MeansOf(std::span<const double> numbers, std::size_t parts) {
  std::vector<double> sums(parts);
  std::vector<std::size_t> counts(parts);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (!std::isfinite(numbers[i])) continue;
    const std::size_t part = i * parts / numbers.size();
    sums[part] += numbers[i];
    ++counts[part];
  }
  for (std::size_t i = 0; i < parts; ++i) {
    sums[i] = counts[i] > 0 ? sums[i] / static_cast<double>(counts[i]) : std::nan("");
  }
  return sums;
}

}  // namespace

std::string Sparkline(std::span<const double> numbers, std::size_t width) {
  const auto means = MeansOf(numbers, std::min(width, numbers.size()));
  double low = 0;
  double high = 0;
  for (const double mean : means) {
    if (std::isnan(mean)) continue;
    low = std::min(low, mean);
    high = std::max(high, mean);
  }
  std::string line;
  for (const double mean : means) {
    if (std::isnan(mean)) {
      line += ' ';
      continue;
    }
    const double share = high > low ? (mean - low) / (high - low) : 0;
    line += kHeights[std::min(kHeights.size() - 1, static_cast<std::size_t>(share * 8))];
  }
  return line;
}

}  // namespace tare::report
