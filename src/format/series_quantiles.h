// series_quantiles.h: quantiles of a stream of numbers in bounded memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace tare::format {

// Numbers of one sign, counted by the logarithm of their size.
class LogarithmBuckets {
 public:
  void Add(std::int32_t bucket, std::uint64_t count);
  // Buckets from the first to the last that would be used with `bucket` too.
  std::size_t SpanWith(std::int32_t bucket) const;
  // Each two become one, as if the base of the logarithm were squared.
  void MergePairs();

  std::span<const std::uint64_t> Counts() const { return counts_; }
  std::int32_t First() const { return first_; }

 private:
  std::int32_t first_ = 0;
  std::vector<std::uint64_t> counts_;
};

// Exact while all numbers fit. From then on numbers are counted by buckets whose bounds grow by a
// constant factor, so that the relative error is bounded; when there are too many buckets, each two
// become one and the error about doubles (Epicoco et al., "UDDSketch", IEEE Access 8, 2020).
class StreamQuantiles {
 public:
  // Keeps at most `room` numbers, 64 or more, or half as many buckets.
  explicit StreamQuantiles(std::size_t room);

  void Add(double number);  // finite

  // The smallest number that at least `share` of all do not exceed; needs a number. 0 gives the
  // smallest.
  double Quantile(double share);

  // Of all Quantile() values; 0: exact.
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
