// metric_selection.h: which metrics the user selected.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tare::sample {

// Selects all metrics if there are no patterns, otherwise those whose name matches one of the
// globs.
class MetricSelection {
 public:
  explicit MetricSelection(std::vector<std::string> globs = {}) : globs_(std::move(globs)) {}
  bool Wants(const std::string& name) const;
  bool IsNarrow() const { return !globs_.empty(); }
  // The globs that match none of the names.
  std::vector<std::string> Unmatched(std::span<const std::string> names) const;

 private:
  std::vector<std::string> globs_;
};

}  // namespace tare::sample
