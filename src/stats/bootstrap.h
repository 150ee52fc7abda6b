// bootstrap.h: bootstrap confidence intervals for any statistic.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"
#include "stats/interval.h"

namespace tare::stats {

enum class BootstrapMethod {
  kBca,         // bias-corrected and accelerated (Efron 1987)
  kPercentile,  // plain quantiles of the resampled statistics
};

struct BootstrapOptions {
  std::uint64_t seed = 1;
  std::size_t resamples = 2000;
  BootstrapMethod method = BootstrapMethod::kBca;
};

// Must return a finite number for every set of samples that can be drawn from the given ones.
using Statistic = std::function<double(std::span<const double>)>;

// Needs at least 2 samples and at least 100 resamples. The same samples, seed and statistic give
// the same interval on every machine.
Result<Measured> BootstrapInterval(std::span<const double> samples, const Statistic& statistic,
                                   double confidence, const BootstrapOptions& options = {});

}  // namespace tare::stats
