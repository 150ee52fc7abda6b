// pair_kind.cc: looks up the groups of both metrics in the baseline's runs.
#include "analysis/perturb/pair_kind.h"

#include <algorithm>

#include "base/check.h"

namespace tare::perturb {
namespace {

bool IsSoftware(const Baseline& baseline, const std::string& metric) {
  const Signal* const signal = baseline.runs.front().Find(metric);
  CHECK(signal != nullptr);
  return signal->IsSoftware();
}

}  // namespace

std::string_view Name(PairKind kind) {
  switch (kind) {
    case PairKind::kHardware:
      return "hardware";
    case PairKind::kMixed:
      return "mixed";
    case PairKind::kSoftware:
      return "software";
  }
  CHECK(false);
}

PairKind KindOf(const Baseline& baseline, const InnerRow& row) {
  const bool first = IsSoftware(baseline, row.first);
  const bool second = IsSoftware(baseline, row.second);
  if (first && second) return PairKind::kSoftware;
  return first || second ? PairKind::kMixed : PairKind::kHardware;
}

bool HasSoftware(const Baseline& baseline) {
  return std::ranges::any_of(
      baseline.metrics, [&](const std::string& metric) { return IsSoftware(baseline, metric); });
}

ChangedPairs CountChanged(const Baseline& baseline, std::span<const InnerRow> rows) {
  ChangedPairs changed;
  for (const InnerRow& row : rows) {
    if (!row.significant) continue;
    const PairKind kind = KindOf(baseline, row);
    std::size_t& count = kind == PairKind::kHardware ? changed.hardware
                         : kind == PairKind::kMixed  ? changed.mixed
                                                     : changed.software;
    ++count;
  }
  return changed;
}

}  // namespace tare::perturb
