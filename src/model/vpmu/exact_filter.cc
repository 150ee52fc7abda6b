// exact_filter.cc: derives the filter's tables from the sets of the L1 data cache and the data TLB.
#include "model/vpmu/exact_filter.h"

#include <algorithm>
#include <bit>

namespace tare::vpmu {
namespace {

bool MayBackInvalidate(const std::optional<model::CacheLevel>& level) {
  return level && level->inclusion == model::Inclusion::kInclusive;
}

// Whether an access to the line used last in its L1 set can neither change a cache nor be missed by
// what other code did in between.
bool RepeatsChangeNothing(const model::Processor& processor) {
  const bool prefetches =
      processor.prefetching.next_line || processor.prefetching.stride_entries > 0;
  // An access that is shortened to a code line may use fewer data lines than it has.
  const bool shortened =
      processor.split == model::Split::kOnce && processor.l1i.line_bytes < processor.l1d.line_bytes;
  return !prefetches && !shortened && !MayBackInvalidate(processor.l2) &&
         !MayBackInvalidate(processor.l3) && processor.l1d.write != model::WritePolicy::kThrough;
}

}  // namespace

tare_flow_filter ExactFilter(const model::Processor& processor) {
  tare_flow_filter filter = {};
  if (!RepeatsChangeNothing(processor)) return filter;
  const model::CacheLevel& l1d = processor.l1d;
  const std::uint64_t sets = l1d.bytes / l1d.line_bytes / l1d.ways;
  filter.line_shift = filter.index_shift =
      static_cast<std::uint32_t>(std::countr_zero(l1d.line_bytes));
  // Fewer entries than sets are exact, too: the line used last in several sets is the line used
  // last in its own set.
  filter.entries = static_cast<std::uint32_t>(std::min<std::uint64_t>(sets, TARE_FLOW_MAX_LINES));
  filter.dirty = l1d.write == model::WritePolicy::kBack ? 1 : 0;
  if (const auto& tlb = model::TlbsOf(processor).data) {
    filter.page_shift = static_cast<std::uint32_t>(std::countr_zero(processor.page_bytes));
    filter.page_entries = std::min(tlb->entries / tlb->ways, TARE_FLOW_MAX_PAGES);
  }
  return filter;
}

}  // namespace tare::vpmu
