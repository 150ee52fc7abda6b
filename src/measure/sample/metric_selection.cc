// metric_selection.cc: matches shell globs.
#include "measure/sample/metric_selection.h"

#include <fnmatch.h>

#include <algorithm>

namespace tare::sample {
namespace {

bool Matches(const std::string& glob, const std::string& name) {
  return ::fnmatch(glob.c_str(), name.c_str(), 0) == 0;
}

}  // namespace

bool MetricSelection::Wants(const std::string& name) const {
  return globs_.empty() ||
         std::ranges::any_of(globs_, [&](const std::string& glob) { return Matches(glob, name); });
}

std::vector<std::string> MetricSelection::Unmatched(std::span<const std::string> names) const {
  std::vector<std::string> unmatched;
  for (const std::string& glob : globs_) {
    const bool found =
        std::ranges::any_of(names, [&](const std::string& name) { return Matches(glob, name); });
    if (!found) unmatched.push_back(glob);
  }
  return unmatched;
}

}  // namespace tare::sample
