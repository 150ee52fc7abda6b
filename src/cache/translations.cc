// translations.cc: from the second level, or by a walk.
#include "cache/translations.h"

#include <bit>

namespace tare::cache {
namespace {

void Build(const std::optional<TlbLevel>& description, std::uint64_t seed, RecentLines& recent,
           std::optional<Tlb>& to) {
  if (!description) return;
  to.emplace(*description, seed, recent.clock());
  recent.StampPages(to->stamps(), to->entries());
  // Each use of a tree changes it.
  if (description->replacement == Replacement::kTreePlru) recent.Disable();
}

}  // namespace

Translations::Translations(const Processor& processor, RecentLines& code, RecentLines& data)
    : page_shift_(static_cast<unsigned>(std::countr_zero(processor.page_bytes))),
      recent_code_(code),
      recent_data_(data) {
  const TlbSet& set =
      processor.page_bytes == kLargePage ? processor.large_pages : processor.small_pages;
  Build(set.instruction, processor.seed * 8 + 4, code, code_);
  Build(set.data, processor.seed * 8 + 5, data, data_);
  if (set.second) second_.emplace(*set.second, processor.seed * 8 + 6, &second_clock_);
}

std::uint64_t Translations::Bring(Tlb& first, RecentLines& recent, std::uint64_t page,
                                  const Causes& causes, EventCounts& to) {
  to.Add(causes.miss);
  if (!second_ || second_->Use(page) == Tlb::kNowhere) {
    to.Add(causes.walk);
    if (second_) second_->Insert(page);
  }
  const Tlb::Inserted inserted = first.Insert(page);
  if (inserted.left != Tlb::kNowhere) recent.ForgetPage(inserted.left, inserted.place);
  return inserted.place;
}

}  // namespace tare::cache
