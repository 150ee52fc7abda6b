// hierarchy.cc: decides whether a processor's caches are plain.
#include "model/core/hierarchy.h"

#include <bit>

namespace tare::model {
namespace {

bool IsPlain(const CacheLevel& level, unsigned line_bytes) {
  return level.line_bytes == line_bytes && level.replacement == Replacement::kLru &&
         level.write == WritePolicy::kBack && level.inclusion == Inclusion::kNine &&
         std::has_single_bit(level.bytes / level.line_bytes / level.ways);
}

}  // namespace

bool IsPlain(const Processor& processor) {
  const unsigned line_bytes = processor.l1d.line_bytes;
  const auto outer = [line_bytes](const std::optional<CacheLevel>& level) {
    return !level || (IsPlain(*level, line_bytes) && level->ways <= kMaxLruWays);
  };
  const Prefetching& prefetching = processor.prefetching;
  return !prefetching.next_line && !prefetching.instructions && prefetching.stride_entries == 0 &&
         processor.split == Split::kEachLine && IsPlain(processor.l1i, line_bytes) &&
         IsPlain(processor.l1d, line_bytes) && outer(processor.l2) && outer(processor.l3);
}

}  // namespace tare::model
