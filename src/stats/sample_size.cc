// sample_size.cc: searches for the smallest sufficient number of samples.
#include "stats/sample_size.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "stats/distribution.h"
#include "stats/sample.h"

namespace tare::stats {
namespace {

// Doubles represent all integers up to this one.
constexpr std::uint64_t kMax = std::uint64_t{1} << 52;

// The smallest n >= first with enough(n). enough must be monotonic: once true, it stays true.
template <typename Enough>
Result<std::uint64_t> Smallest(const char* method, std::uint64_t first, Enough enough) {
  std::uint64_t good = first;
  std::uint64_t bad = first - 1;
  while (!enough(static_cast<double>(good))) {
    if (good > kMax / 2) {
      return Fail(ErrorKind::kUsage,
                  fmt::format("{}: more than 10^15 samples would be needed; request less precision",
                              method));
    }
    bad = good;
    good *= 2;
  }
  while (good - bad > 1) {
    const std::uint64_t middle = bad + (good - bad) / 2;
    (enough(static_cast<double>(middle)) ? good : bad) = middle;
  }
  return good;
}

}  // namespace

Result<std::uint64_t> SamplesForCount(double share, std::uint64_t wanted, double chance) {
  constexpr const char* kMethod = "samples for a count";
  TRY_VOID(RequireConfidence(kMethod, chance));
  if (!(share > 0 && share <= 1)) {
    return Fail(ErrorKind::kUsage,
                fmt::format("{}: the share must be above 0 and at most 1, not {}", kMethod, share));
  }
  if (wanted > kMax) {
    return Fail(ErrorKind::kUsage, fmt::format("{}: {} is too large", kMethod, wanted));
  }
  return Smallest(kMethod, std::max<std::uint64_t>(wanted, 1), [&](double n) {
    return BinomialAtLeast(static_cast<double>(wanted), n, share) >= chance;
  });
}

}  // namespace tare::stats
