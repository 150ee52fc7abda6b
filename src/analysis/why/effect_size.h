// effect_size.h: how much a factor changes a response.
#pragma once

#include <vector>

#include "base/measured.h"
#include "base/result.h"

namespace tare::why {

// Responses by level; the first group has all factors fixed. No group is empty.
using Groups = std::vector<std::vector<double>>;

double Median(std::vector<double> group);

// The largest change of a median from that of the first group, signed.
double LargestOf(const Groups& groups);

// With two groups the shift between them, with more the mean absolute change of their medians.
Result<Measured> EffectOf(const Groups& groups, double confidence);

// The standard deviation of a normal distribution with these absolute residuals, by their median;
// by their squares where most of them are 0.
double DeviationOf(const std::vector<double>& residuals);

}  // namespace tare::why
