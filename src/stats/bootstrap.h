// bootstrap.h: an interval for any statistic, by drawing from the samples again and again.
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
  kPercentile,  // quantiles of the drawn statistics as they are
};

struct BootstrapOptions {
  std::uint64_t seed = 1;
  std::size_t resamples = 2000;
  BootstrapMethod method = BootstrapMethod::kBca;
};

// May reorder nothing and must give a finite number for any samples drawn from the given ones.
using Statistic = std::function<double(std::span<const double>)>;

// Needs 2 samples and 100 resamples or more. The same samples, seed and statistic give the same
// interval on every machine.
Result<Estimate> BootstrapInterval(std::span<const double> samples, const Statistic& statistic,
                                   double confidence, const BootstrapOptions& options = {});

}  // namespace tare::stats
