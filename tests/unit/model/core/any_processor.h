// any_processor.h: random descriptions of processors.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>

#include "model/core/processor.h"
#include "stats/random.h"

namespace tare::model {

template <typename Value>
Value OneOf(stats::Generator& random, std::initializer_list<Value> values) {
  return values.begin()[random.Below(values.size())];
}

inline constexpr std::initializer_list<Replacement> kReplacements = {
    Replacement::kLru, Replacement::kTreePlru, Replacement::kRandom};

// So small that lines are often evicted, filled again, and evicted again.
inline CacheLevel AnyLevel(stats::Generator& random, std::uint64_t max_sets, unsigned line_bytes) {
  CacheLevel level;
  level.replacement = OneOf(random, kReplacements);
  level.ways = OneOf<unsigned>(random, {1, 2, 3, 4, 8});
  if (level.replacement == Replacement::kTreePlru && level.ways == 3) level.ways = 4;
  level.line_bytes = line_bytes;
  const std::uint64_t sets = std::uint64_t{1} << random.Below(max_sets);
  level.bytes = sets * level.ways * line_bytes;
  return level;
}

inline std::optional<TlbLevel> AnyTlb(stats::Generator& random, unsigned most) {
  if (random.Below(4) == 0) return std::nullopt;
  const unsigned ways = OneOf<unsigned>(random, {1, 2, 4, most});
  return TlbLevel{.entries = ways * OneOf<unsigned>(random, {1, 2, 4}),
                  .ways = ways,
                  .replacement = OneOf(random, kReplacements)};
}

inline void AddOuterLevels(stats::Generator& random, Processor& p) {
  const auto outer = [&](std::uint64_t max_sets) {
    CacheLevel level = AnyLevel(random, max_sets, OneOf<unsigned>(random, {32, 32, 64}));
    level.write = OneOf(random, {WritePolicy::kBack, WritePolicy::kBack, WritePolicy::kThrough});
    level.inclusion =
        OneOf(random, {Inclusion::kNine, Inclusion::kInclusive, Inclusion::kExclusive});
    return level;
  };
  const std::uint64_t levels = random.Below(4);
  if (levels > 0) p.l2 = outer(4);
  if (levels > 1) p.l3 = outer(6);
  if (p.l3 && random.Below(2) == 0) {
    const std::uint64_t sets = OneOf<std::uint64_t>(random, {3, 5, 12});
    p.l3->bytes = sets * p.l3->ways * p.l3->line_bytes;
  }
}

inline Processor AnyProcessor(stats::Generator& random) {
  Processor p;
  p.name = "any";
  p.seed = random.Below(1000);
  p.l1i = AnyLevel(random, 4, 32);
  p.l1d = AnyLevel(random, 4, 32);
  p.l1d.write = OneOf(random, {WritePolicy::kBack, WritePolicy::kBack, WritePolicy::kThrough});
  AddOuterLevels(random, p);
  p.small_pages = {AnyTlb(random, 5), AnyTlb(random, 6), AnyTlb(random, 12)};
  p.prefetching = {.next_line = random.Below(3) == 0,
                   .instructions = random.Below(3) == 0,
                   .stride_entries = OneOf<unsigned>(random, {0, 0, 2, 16}),
                   .stride_degree = OneOf<unsigned>(random, {1, 3})};
  if (random.Below(5) == 0) {
    p.split = Split::kOnce;
    p.prefetching = {};
    for (CacheLevel* level : {&p.l1d, p.l2 ? &*p.l2 : nullptr, p.l3 ? &*p.l3 : nullptr}) {
      if (level == nullptr) continue;
      level->write = WritePolicy::kIgnored;
      level->inclusion = Inclusion::kNine;
    }
  }
  return p;
}

// A processor for which the models have a fast path: no unusual features, of any size.
inline Processor AnyPlainProcessor(stats::Generator& random) {
  Processor p;
  p.name = "plain";
  const unsigned line_bytes = OneOf<unsigned>(random, {32, 64});
  const auto level = [&](std::uint64_t max_sets) {
    CacheLevel one = AnyLevel(random, max_sets, line_bytes);
    one.replacement = Replacement::kLru;
    return one;
  };
  p.l1i = level(4);
  p.l1d = level(4);
  if (random.Below(4) != 0) p.l2 = level(5);
  if (p.l2 && random.Below(2) == 0) p.l3 = level(6);
  p.small_pages = {AnyTlb(random, 5), AnyTlb(random, 6), AnyTlb(random, 12)};
  for (auto* tlb : {&p.small_pages.instruction, &p.small_pages.data, &p.small_pages.second}) {
    if (*tlb) (*tlb)->replacement = Replacement::kLru;
  }
  return p;
}

}  // namespace tare::model
