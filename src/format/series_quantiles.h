// series_quantiles.h: quantiles of a stream of numbers in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tare::format {

// Counts numbers of one sign by the logarithm of their magnitude.
class LogarithmBuckets {
 public:
  void Add(std::int32_t bucket, std::uint64_t count);
  // The number of buckets from the first to the last if `bucket` were used, too.
  std::size_t SpanWith(std::int32_t bucket) const;
  // Merges pairs of neighbouring buckets, as if the base of the logarithm were squared.
  void MergePairs();

  std::span<const std::uint64_t> Counts() const { return counts_; }
  std::int32_t First() const { return first_; }

 private:
  std::int32_t first_ = 0;
  std::vector<std::uint64_t> counts_;
};

// Exact while all numbers fit into memory. After that, numbers are counted in buckets whose bounds
// grow by a constant factor, so that the relative error is bounded. When there are too many
// buckets, pairs are merged and the error about doubles (Epicoco et al., "UDDSketch", IEEE Access
// 8, 2020).
class StreamQuantiles {
 public:
  // Stores at most `room` numbers (at least 64), or half as many buckets.
  explicit StreamQuantiles(std::size_t room);

  void Add(double number);  // must be finite

  // The smallest x such that at least `share` of all numbers are at most x; 0 gives the minimum.
  // Needs at least one number.
  double Quantile(double share);

  // The relative error of all Quantile() results; 0: exact.
  double RelativeError() const { return is_exact_ ? 0 : error_; }

 private:
  void SetError(double error);
  void Count(double number);

  std::size_t room_;
  bool is_exact_ = true;
  bool is_sorted_ = true;
  std::vector<double> numbers_;
  std::uint64_t count_ = 0;
  double error_ = 0;
  double buckets_per_e_ = 0;
  LogarithmBuckets negative_, positive_;
  std::uint64_t zeros_ = 0;
};

}  // namespace tare::format
