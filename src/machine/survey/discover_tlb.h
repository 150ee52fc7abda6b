// discover_tlb.h: pages, and the translations of them that are kept at hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "machine/survey/discover_first.h"

namespace tare::survey {

// A level of translations.
struct TranslationLevel {
  Ranged found;      // pages of kBlockBytes, or of what was asked for
  double pages = 0;  // that it was built for
  Ranged miss;       // seconds that a load beyond it takes longer
};

struct Translations {
  std::vector<TranslationLevel> levels;
  std::vector<CostSamples> curve;  // seconds of a load, against pages
  double near = 0;                 // seconds of a load whose translation is at hand
};

// One load on each of a growing number of pages, `page_bytes` apart, as far as `memory` goes.
Result<Translations> FindTranslations(Bench& bench, std::span<const std::byte> memory,
                                      std::uint64_t page_bytes, const FirstCache& first,
                                      bool quick);

// The distance from which on each place has its own translation. Needs a level of `small`. Nothing
// when `memory` is too small to tell.
Result<std::optional<std::uint64_t>> FindPageSize(Bench& bench, std::span<const std::byte> memory,
                                                  const Translations& small, bool quick);

}  // namespace tare::survey
