// instruction_metric.h: the metrics that are counted over a program's instructions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tare::count {

enum class Metric {
  kInstructions,
  kLoads,
  kStores,
  kLoadBytes,
  kStoreBytes,
  kConditionalBranches,
  kTakenBranches,
  kUnconditionalBranches,
  kCalls,
  kReturns,
  kSystemCalls,
  kRepeatedInstructions,
  kRepeatIterations,
  kAtomics,
  kX87,
  kFldcw,
  kVector64,
  kVector128,
  kVector256,
  kVector512,
  kVectorScalable,
  kFloatingHalf,
  kFloatingSingle,
  kFloatingDouble,
  kFloatingExtended,
};

inline constexpr std::size_t kMetrics = static_cast<std::size_t>(Metric::kFloatingExtended) + 1;

struct MetricText {
  Metric metric;
  std::string_view id;    // column name
  std::string_view unit;  // "" for a plain number
  bool main;              // shown by default
};

// In the order of the enumeration.
std::span<const MetricText> MetricTable();

class MetricCounts {
 public:
  std::uint64_t operator[](Metric metric) const {
    return counts_[static_cast<std::size_t>(metric)];
  }
  void Add(Metric metric, std::uint64_t amount) {
    counts_[static_cast<std::size_t>(metric)] += amount;
  }
  MetricCounts& operator+=(const MetricCounts& other);
  bool operator==(const MetricCounts&) const = default;

 private:
  std::array<std::uint64_t, kMetrics> counts_{};
};

}  // namespace tare::count
