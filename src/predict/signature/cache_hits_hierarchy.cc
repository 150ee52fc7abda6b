// cache_hits_hierarchy.cc: hierarchies from machine profiles and processor descriptions.
#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "base/printable.h"
#include "predict/signature/cache_hits.h"

namespace tare::signature {
namespace {

constexpr unsigned kUsualLine = 64;
constexpr std::size_t kMaxLevels = 8;

CacheShape LevelShape(const model::CacheLevel& level) {
  return {level.bytes, level.ways, level.line_bytes};
}

std::unexpected<Error> Impossible(const Hierarchy& hierarchy, const std::string& what) {
  return Fail(ErrorKind::kUsage, fmt::format("{}: {}", Printable(hierarchy.name), what));
}

}  // namespace

Hierarchy HierarchyOf(const machine_profile::Profile& profile) {
  Hierarchy hierarchy;
  hierarchy.name = profile.name;
  for (std::size_t i = 0; i < profile.levels.size(); ++i) {
    const machine_profile::Level& level = profile.levels[i];
    if (level.name == "memory") continue;
    CacheShape shape{level.bytes, level.ways, level.line_bytes};
    if (shape.line_bytes == 0) {
      shape.line_bytes = kUsualLine;
      hierarchy.assumed.push_back(fmt::format("{} has lines of {} bytes", level.name, kUsualLine));
    }
    if (shape.ways == 0)
      hierarchy.assumed.push_back(fmt::format("{} is fully associative", level.name));
    hierarchy.caches.push_back(shape);
  }
  std::uint64_t page = UINT64_MAX;
  for (const machine_profile::Tlb& tlb : profile.tlbs)
    if (tlb.entries > 0) page = std::min(page, tlb.page_bytes);
  for (const machine_profile::Tlb& tlb : profile.tlbs)
    if (tlb.entries > 0 && tlb.page_bytes == page) hierarchy.tlbs.push_back({page, tlb.entries});
  return hierarchy;
}

Hierarchy HierarchyOf(const model::Processor& processor) {
  Hierarchy hierarchy;
  hierarchy.name = processor.name;
  hierarchy.assumed = processor.assumed;
  hierarchy.caches.push_back(LevelShape(processor.l1d));
  if (processor.l2) hierarchy.caches.push_back(LevelShape(*processor.l2));
  if (processor.l3) hierarchy.caches.push_back(LevelShape(*processor.l3));
  const auto lru = [&](const model::CacheLevel& level) {
    return level.replacement == model::Replacement::kLru;
  };
  if (!lru(processor.l1d) || (processor.l2 && !lru(*processor.l2)) ||
      (processor.l3 && !lru(*processor.l3)))
    hierarchy.assumed.push_back("all caches replace the least recently used line");
  const model::TlbSet& tlbs = model::TlbsOf(processor);
  if (tlbs.data) hierarchy.tlbs.push_back({processor.page_bytes, tlbs.data->entries});
  if (tlbs.second) hierarchy.tlbs.push_back({processor.page_bytes, tlbs.second->entries});
  return hierarchy;
}

Result<void> Validate(const Hierarchy& hierarchy) {
  if (hierarchy.caches.empty()) return Impossible(hierarchy, "it has no cache");
  if (hierarchy.caches.size() > kMaxLevels || hierarchy.tlbs.size() > kMaxLevels)
    return Impossible(hierarchy, fmt::format("it has more than {} levels", kMaxLevels));
  for (std::size_t i = 0; i < hierarchy.caches.size(); ++i) {
    const CacheShape& cache = hierarchy.caches[i];
    if (cache.line_bytes == 0 || !std::has_single_bit(cache.line_bytes))
      return Impossible(hierarchy, fmt::format("L{} has lines of {} bytes; expected a power of two",
                                               i + 1, cache.line_bytes));
    const std::uint64_t way = std::uint64_t{cache.line_bytes} * std::max(cache.ways, 1U);
    if (cache.bytes < way)
      return Impossible(hierarchy,
                        fmt::format("L{} has {} bytes, but one set of its lines needs {}", i + 1,
                                    cache.bytes, way));
    if (i > 0 && cache.bytes < hierarchy.caches[i - 1].bytes)
      return Impossible(hierarchy, fmt::format("L{} has {} bytes, fewer than L{} with {}", i + 1,
                                               cache.bytes, i, hierarchy.caches[i - 1].bytes));
  }
  for (std::size_t i = 0; i < hierarchy.tlbs.size(); ++i) {
    const TlbShape& tlb = hierarchy.tlbs[i];
    if (tlb.entries == 0 || !std::has_single_bit(tlb.page_bytes))
      return Impossible(
          hierarchy, fmt::format("TLB {} has {} entries for pages of {} bytes; expected at least "
                                 "one, and a power of two",
                                 i + 1, tlb.entries, tlb.page_bytes));
  }
  return {};
}

}  // namespace tare::signature
