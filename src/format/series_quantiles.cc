// series_quantiles.cc: counts numbers in logarithmic buckets.
#include "format/series_quantiles.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"

namespace tare::format {
namespace {

constexpr double kFirstError = 0.005;

// Rounds up: with the factor squared, buckets 1 and 2 become 1, and -1 and 0 become 0.
std::int32_t Half(std::int32_t bucket) { return (bucket + (bucket > 0 ? 1 : 0)) / 2; }

}  // namespace

void LogarithmBuckets::Add(std::int32_t bucket, std::uint64_t count) {
  if (counts_.empty()) first_ = bucket;
  if (bucket < first_) {
    counts_.insert(counts_.begin(), static_cast<std::size_t>(first_ - bucket), 0);
    first_ = bucket;
  }
  const auto at = static_cast<std::size_t>(bucket - first_);
  if (at >= counts_.size()) counts_.resize(at + 1);
  counts_[at] += count;
}

std::size_t LogarithmBuckets::SpanWith(std::int32_t bucket) const {
  if (counts_.empty()) return 1;
  const auto last = first_ + static_cast<std::int32_t>(counts_.size()) - 1;
  return static_cast<std::size_t>(std::max(last, bucket) - std::min(first_, bucket)) + 1;
}

void LogarithmBuckets::MergePairs() {
  LogarithmBuckets merged;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    merged.Add(Half(first_ + static_cast<std::int32_t>(i)), counts_[i]);
  }
  *this = std::move(merged);
}

StreamQuantiles::StreamQuantiles(std::size_t room) : room_(room) {
  CHECK(room >= 64);
  SetError(kFirstError);
}

// Bucket n counts the numbers in (factor^(n-1), factor^n], with the factor (1 + error) / (1 -
// error).
void StreamQuantiles::SetError(double error) {
  error_ = error;
  buckets_per_e_ = 1 / std::log((1 + error) / (1 - error));
}

void StreamQuantiles::Add(double number) {
  ++count_;
  if (is_exact_ && numbers_.size() < room_) {
    numbers_.push_back(number);
    is_sorted_ = false;
    return;
  }
  if (is_exact_) {
    is_exact_ = false;
    for (const double kept : numbers_) Count(kept);
    numbers_ = {};
  }
  Count(number);
}

void StreamQuantiles::Count(double number) {
  if (number == 0) {
    ++zeros_;
    return;
  }
  auto& buckets = number < 0 ? negative_ : positive_;
  const double logarithm = std::log(std::fabs(number));
  auto bucket = static_cast<std::int32_t>(std::ceil(logarithm * buckets_per_e_));
  while (buckets.SpanWith(bucket) > room_ / 4) {
    negative_.MergePairs();
    positive_.MergePairs();
    SetError(2 * error_ / (1 + error_ * error_));
    bucket = Half(bucket);
  }
  buckets.Add(bucket, 1);
}

double StreamQuantiles::Quantile(double share) {
  CHECK(count_ > 0 && share >= 0 && share <= 1);
  const double wanted = std::ceil(share * static_cast<double>(count_));
  const auto rank = std::clamp<std::uint64_t>(static_cast<std::uint64_t>(wanted), 1, count_);
  if (is_exact_) {
    if (!is_sorted_) std::ranges::sort(numbers_);
    is_sorted_ = true;
    return numbers_[static_cast<std::size_t>(rank - 1)];
  }
  // The number with the same relative distance from both bounds of its bucket.
  const auto middle = [&](const LogarithmBuckets& buckets, std::size_t i) {
    const double bucket = static_cast<double>(buckets.First()) + static_cast<double>(i);
    return std::exp(bucket / buckets_per_e_) * (1 - error_);
  };
  std::uint64_t passed = 0;
  for (std::size_t i = negative_.Counts().size(); i-- > 0;) {
    passed += negative_.Counts()[i];
    if (passed >= rank) return -middle(negative_, i);
  }
  passed += zeros_;
  if (passed >= rank) return 0;
  for (std::size_t i = 0; i < positive_.Counts().size(); ++i) {
    passed += positive_.Counts()[i];
    if (passed >= rank) return middle(positive_, i);
  }
  CHECK(false);
}

}  // namespace tare::format
