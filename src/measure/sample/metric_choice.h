// metric_choice.h: which metrics somebody wants to see.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tare::sample {

// Which metrics are wanted: any when there are no patterns, otherwise those whose name one of the
// globs matches.
class MetricChoice {
 public:
  explicit MetricChoice(std::vector<std::string> globs = {}) : globs_(std::move(globs)) {}
  bool Wants(const std::string& name) const;
  bool IsNarrow() const { return !globs_.empty(); }
  // Those that match none of the names.
  std::vector<std::string> Unmatched(std::span<const std::string> names) const;

 private:
  std::vector<std::string> globs_;
};

}  // namespace tare::sample
