// processor.cc: checks the constraints on a description.
#include "model/core/processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>

#include "model/core/branch_unit.h"
#include "model/core/line_entry.h"
#include "model/core/tree_plru.h"

namespace tare::model {
namespace {

using Found = std::optional<Mistake>;

constexpr std::uint64_t kMaxBytes = std::uint64_t{4} << 30;
constexpr std::uint64_t kMaxLines = std::uint64_t{1} << 26;
constexpr unsigned kMaxWays = 1024;
constexpr unsigned kMaxTlbEntries = 1 << 15;
constexpr unsigned kMaxStrideEntries = 1 << 20;
constexpr unsigned kMaxStrideDegree = 64;

template <typename... Values>
Mistake At(std::string field, fmt::format_string<Values...> message, Values&&... values) {
  return {std::move(field), fmt::format(message, std::forward<Values>(values)...)};
}

Found OfTree(const std::string& where, Replacement replacement, unsigned ways) {
  if (replacement != Replacement::kTreePlru) return std::nullopt;
  if (std::has_single_bit(ways) && ways <= kMaxTreeWays) return std::nullopt;
  return At(where + ".ways", "is {}: tree-plru needs a power of two, at most {}", ways,
            kMaxTreeWays);
}

Found OfLine(const std::string& where, const CacheLevel& level, std::uint64_t page_bytes) {
  const std::string line = where + ".line";
  if (!std::has_single_bit(level.line_bytes)) {
    return At(line, "is {}: the line size must be a power of two", level.line_bytes);
  }
  if (level.line_bytes < kMinLineBytes) {
    return At(line, "is {}: a line needs at least {} bytes", level.line_bytes, kMinLineBytes);
  }
  if (level.line_bytes > page_bytes) {
    return At(line, "is {}: a line cannot be longer than a page, which has {} bytes",
              level.line_bytes, page_bytes);
  }
  return std::nullopt;
}

// With `any_sets`, the number of sets need not be a power of two, as in a cache made of slices.
Found OfCache(const std::string& where, const CacheLevel& level, std::uint64_t page_bytes,
              bool any_sets) {
  if (level.bytes == 0) return At(where + ".bytes", "is 0: a cache needs at least one line");
  if (level.bytes > kMaxBytes) {
    return At(where + ".bytes", "is {}: the maximum is 4 GiB", level.bytes);
  }
  if (level.ways == 0) return At(where + ".ways", "is 0: a cache needs at least 1 way");
  if (level.ways > kMaxWays) {
    return At(where + ".ways", "is {}: the maximum is {}", level.ways, kMaxWays);
  }
  if (Found found = OfLine(where, level, page_bytes)) return found;
  const std::uint64_t way_bytes = std::uint64_t{level.ways} * level.line_bytes;
  if (level.bytes % way_bytes != 0) {
    return At(where + ".bytes", "is {}: that is not a multiple of {} ways of {}-byte lines",
              level.bytes, level.ways, level.line_bytes);
  }
  const std::uint64_t sets = level.bytes / way_bytes;
  if (!any_sets && !std::has_single_bit(sets)) {
    return At(where + ".bytes",
              "is {}: with {} ways of {}-byte lines there are {} sets, which is not a power of two",
              level.bytes, level.ways, level.line_bytes, sets);
  }
  if (level.bytes / level.line_bytes > kMaxLines) {
    return At(where + ".bytes", "is {}: the maximum is {} lines", level.bytes, kMaxLines);
  }
  return OfTree(where, level.replacement, level.ways);
}

Found OfFirst(const std::string& where, const CacheLevel& level, std::uint64_t page_bytes) {
  if (level.inclusion != Inclusion::kNine) {
    return At(where + ".inclusion", "must be nine: no level is nearer to the core");
  }
  return OfCache(where, level, page_bytes, false);
}

// Checks an outer level against the nearer ones; the last of `nearer` is the next one in the data
// path.
Found OfOuter(const std::string& where, const CacheLevel& level,
              std::span<const CacheLevel* const> nearer, std::uint64_t page_bytes, bool any_sets) {
  if (Found found = OfCache(where, level, page_bytes, any_sets)) return found;
  const bool exclusive = level.inclusion == Inclusion::kExclusive;
  std::uint64_t nearer_bytes = 0;
  for (const CacheLevel* near : nearer) {
    nearer_bytes = std::max(nearer_bytes, near->bytes);
    if (level.line_bytes < near->line_bytes) {
      return At(where + ".line",
                "is {}: a level nearer to the core has lines of {} bytes, and outer lines must not "
                "be shorter",
                level.line_bytes, near->line_bytes);
    }
    if (exclusive && level.line_bytes != near->line_bytes) {
      return At(
          where + ".line",
          "is {}: an exclusive level needs lines of {} bytes, like the level nearer to the core",
          level.line_bytes, near->line_bytes);
    }
  }
  if (level.inclusion == Inclusion::kInclusive && level.bytes < nearer_bytes) {
    return At(where + ".bytes",
              "is {}: an inclusive level cannot be smaller than the {} bytes of a level nearer to "
              "the core",
              level.bytes, nearer_bytes);
  }
  if (exclusive &&
      (level.write != WritePolicy::kBack || nearer.back()->write != WritePolicy::kBack)) {
    return At(where + ".inclusion",
              "is exclusive: then write must be write-back, here and in the level nearer to the "
              "core");
  }
  if ((level.write == WritePolicy::kIgnored) != (nearer.back()->write == WritePolicy::kIgnored)) {
    return At(where + ".write", "must be ignored in all data levels or in none");
  }
  return std::nullopt;
}

Found OfCaches(const Processor& processor) {
  const std::uint64_t page = processor.page_bytes;
  if (Found found = OfFirst("l1i", processor.l1i, page)) return found;
  if (Found found = OfFirst("l1d", processor.l1d, page)) return found;
  if (processor.l3 && !processor.l2) return At("l3", "needs l2, which is missing");
  if (!processor.l2) return std::nullopt;
  const std::array<const CacheLevel*, 3> nearer = {&processor.l1i, &processor.l1d, &*processor.l2};
  if (Found found = OfOuter("l2", *processor.l2, std::span(nearer).first(2), page, false)) {
    return found;
  }
  if (!processor.l3) return std::nullopt;
  // An exclusive L3 is exclusive only to L2.
  const bool second_alone = processor.l3->inclusion == Inclusion::kExclusive;
  return OfOuter("l3", *processor.l3, std::span(nearer).subspan(second_alone ? 2 : 0), page, true);
}

Found OfTlb(const std::string& where, const TlbLevel& level) {
  if (level.entries == 0 || level.entries > kMaxTlbEntries) {
    return At(where + ".entries", "is {}: a TLB has 1 to {} entries", level.entries,
              kMaxTlbEntries);
  }
  if (level.ways == 0 || level.ways > level.entries || level.entries % level.ways != 0) {
    return At(where + ".ways", "is {}: {} entries are not a multiple of it", level.ways,
              level.entries);
  }
  if (level.ways > kMaxWays) {
    return At(where + ".ways", "is {}: the maximum is {}", level.ways, kMaxWays);
  }
  if (!std::has_single_bit(level.entries / level.ways)) {
    return At(where + ".ways",
              "is {}: with {} entries there are {} sets, which is not a power of two", level.ways,
              level.entries, level.entries / level.ways);
  }
  return OfTree(where, level.replacement, level.ways);
}

Found OfTlbs(const std::string& where, const TlbSet& set) {
  const std::array<std::pair<const char*, const std::optional<TlbLevel>*>, 3> levels = {
      {{".instruction", &set.instruction}, {".data", &set.data}, {".second", &set.second}}};
  for (const auto& [name, level] : levels) {
    if (!*level) continue;
    if (Found found = OfTlb(where + name, **level)) return found;
  }
  if (set.second && !set.instruction && !set.data) {
    return At(where + ".second", "needs a first-level TLB, which is missing");
  }
  return std::nullopt;
}

Found OfPages(const Processor& processor) {
  if (processor.page_bytes != kSmallPage && processor.page_bytes != kLargePage) {
    return At("page", "is {}: the page size must be 4 KiB or 2 MiB", processor.page_bytes);
  }
  if (Found found = OfTlbs("tlb.small", processor.small_pages)) return found;
  if (Found found = OfTlbs("tlb.large", processor.large_pages)) return found;
  if (processor.page_bytes == kLargePage && processor.large_pages == TlbSet{}) {
    return At("page", "is 2 MiB, which needs TLBs for such pages (tlb.large)");
  }
  return std::nullopt;
}

Found OfSplit(const Processor& processor) {
  if (processor.split == Split::kEachLine) return std::nullopt;
  const auto plain = [](const CacheLevel& level) {
    return level.write == WritePolicy::kIgnored && level.inclusion == Inclusion::kNine;
  };
  if (plain(processor.l1d) && (!processor.l2 || plain(*processor.l2)) &&
      (!processor.l3 || plain(*processor.l3)) && processor.prefetching == Prefetching{}) {
    return std::nullopt;
  }
  return At("split",
            "is once: then all data levels need write ignored and inclusion nine, and prefetching "
            "must be off");
}

Found OfPrefetching(const Prefetching& prefetching) {
  if (prefetching.stride_entries == 0) return std::nullopt;
  if (!std::has_single_bit(prefetching.stride_entries) ||
      prefetching.stride_entries > kMaxStrideEntries) {
    return At("prefetch.stride_entries", "is {}: it must be a power of two, at most {}",
              prefetching.stride_entries, kMaxStrideEntries);
  }
  if (prefetching.stride_degree == 0 || prefetching.stride_degree > kMaxStrideDegree) {
    return At("prefetch.stride_degree", "is {}: it must be 1 to {} lines",
              prefetching.stride_degree, kMaxStrideDegree);
  }
  return std::nullopt;
}

Found OfCycles(const CycleCosts& cycles) {
  const std::array<std::pair<const char*, double>, 8> costs = {
      {{"cycles.per_instruction", cycles.per_instruction},
       {"cycles.l2_hit", cycles.l2_hit},
       {"cycles.l3_hit", cycles.l3_hit},
       {"cycles.memory", cycles.memory},
       {"cycles.tlb_second", cycles.tlb_second},
       {"cycles.walk", cycles.walk},
       {"cycles.misprediction", cycles.misprediction},
       {"cycles.overlap", cycles.overlap}}};
  constexpr double kMaxCycles = 1e6;
  for (const auto& [field, cost] : costs) {
    if (std::isfinite(cost) && cost >= 0 && cost <= kMaxCycles) continue;
    return At(field, "is {}: it must be 0 to {:.0f} cycles", cost, kMaxCycles);
  }
  if (cycles.overlap > 1) return At("cycles.overlap", "is {}: it must be 0 to 1", cycles.overlap);
  return std::nullopt;
}

// Splits "branching entries is 3: ..." into the field and the message.
Found OfBranching(const Branching& branching) {
  const auto valid = ValidateBranching(branching);
  if (valid) return std::nullopt;
  constexpr std::string_view kFront = "branching ";
  std::string_view message = valid.error().message;
  if (!message.starts_with(kFront)) return At("branch", "cannot be built: {}", message);
  message.remove_prefix(kFront.size());
  const std::size_t space = std::min(message.find(' '), message.size() - 1);
  return At(fmt::format("branch.{}", message.substr(0, space)), "{}", message.substr(space + 1));
}

}  // namespace

std::optional<Mistake> FirstMistake(const Processor& processor) {
  if (Found found = OfPages(processor)) return found;
  if (Found found = OfCaches(processor)) return found;
  if (Found found = OfSplit(processor)) return found;
  if (Found found = OfPrefetching(processor.prefetching)) return found;
  if (Found found = OfBranching(processor.branching)) return found;
  return OfCycles(processor.cycles);
}

Result<void> Validate(const Processor& processor) {
  const auto mistake = FirstMistake(processor);
  if (!mistake) return {};
  return Fail(ErrorKind::kUsage,
              fmt::format("invalid description of {}: {} {}",
                          processor.name.empty() ? "a processor" : processor.name, mistake->field,
                          mistake->message));
}

}  // namespace tare::model
