// pair_kind.h: whether relations of software metrics changed that no pair of the processor's
// metrics shows.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "analysis/perturb/baseline.h"
#include "analysis/perturb/inner_correlation.h"

namespace tare::perturb {

// By how many of the two are metrics of the program; metrics of the kernel count as hardware.
enum class PairKind { kHardware, kMixed, kSoftware };
std::string_view Name(PairKind kind);

// Of a row that was judged by this baseline.
PairKind KindOf(const Baseline& baseline, const InnerRow& row);

bool HasSoftware(const Baseline& baseline);

// Significant pairs of a run by kind.
struct ChangedPairs {
  std::size_t hardware = 0;
  std::size_t mixed = 0;
  std::size_t software = 0;

  // Relations of software metrics changed, and those of hardware metrics show nothing.
  bool IsHidden() const { return hardware == 0 && mixed + software > 0; }
};
ChangedPairs CountChanged(const Baseline& baseline, std::span<const InnerRow> rows);

}  // namespace tare::perturb
