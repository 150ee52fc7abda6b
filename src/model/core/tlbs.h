// tlbs.h: the TLBs of a core together.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>

#include "model/core/model_event.h"
#include "model/core/processor.h"
#include "model/core/recent_lines.h"
#include "model/core/tlb.h"

namespace tare::model {

// Whether all TLBs use LRU replacement and the second level has at most kMaxLruWays ways.
inline bool HasPlainTlbs(const Processor& processor) {
  const auto lru = [](const std::optional<TlbLevel>& level) {
    return !level || level->replacement == Replacement::kLru;
  };
  const TlbSet& set = TlbsOf(processor);
  return lru(set.instruction) && lru(set.data) && lru(set.second) &&
         (!set.second || set.second->ways <= kMaxLruWays);
}

// With kPlain the TLBs must be plain, which saves checks at each access.
template <bool kPlain>
class Tlbs {
 public:
  // `processor` must be valid. `code` and `data` must outlive this object.
  Tlbs(const Processor& processor, RecentLines& code, RecentLines& data)
      : page_shift_(static_cast<unsigned>(std::countr_zero(processor.page_bytes))),
        recent_code_(code),
        recent_data_(data) {
    const TlbSet& set = TlbsOf(processor);
    Build(set.instruction, processor.seed * 8 + 4, code, code_);
    Build(set.data, processor.seed * 8 + 5, data, data_);
    if (set.second) second_.emplace(*set.second, processor.seed * 8 + 6, false, &second_clock_);
  }
  Tlbs(const Tlbs&) = delete;
  Tlbs& operator=(const Tlbs&) = delete;

  // Looks up all pages of an access, in order.
  void Code(std::uint64_t address, std::uint64_t bytes, EventCounts& to) {
    if (code_) Pages(*code_, recent_code_, address, bytes, kCode, to);
  }
  void Data(std::uint64_t address, std::uint64_t bytes, bool store, EventCounts& to) {
    if (data_) Pages(*data_, recent_data_, address, bytes, store ? kStore : kLoad, to);
  }

 private:
  using First = Tlb<kPlain ? PolicyKind::kStampedLru : PolicyKind::kGiven>;
  using Second = Tlb<kPlain ? PolicyKind::kLru : PolicyKind::kGiven>;

  struct Causes {
    Event miss;
    Event walk;
  };
  static constexpr Causes kCode = {Event::kItlbMisses, Event::kInstructionWalks};
  static constexpr Causes kLoad = {Event::kDtlbLoadMisses, Event::kDataWalks};
  static constexpr Causes kStore = {Event::kDtlbStoreMisses, Event::kDataWalks};

  static void Build(const std::optional<TlbLevel>& description, std::uint64_t seed,
                    RecentLines& recent, std::optional<First>& to) {
    if (!description) return;
    to.emplace(*description, seed, true, recent.clock());
    recent.StampPages(to->stamps(), to->entries());
    // Every use changes a tree-PLRU tree.
    if (description->replacement == Replacement::kTreePlru) recent.Disable();
  }

  void Pages(First& first, RecentLines& recent, std::uint64_t address, std::uint64_t bytes,
             const Causes& causes, EventCounts& to) {
    std::uint64_t page = address >> page_shift_;
    const std::uint64_t last = (address + bytes - 1) >> page_shift_;
    recent.OnPage(One(first, recent, page, causes, to));
    if (page == last) [[likely]]
      return;
    const std::uint64_t max_page = ~std::uint64_t{0} >> page_shift_;
    while (page != last) One(first, recent, page = (page + 1) & max_page, causes, to);
    recent.OnSeveralPages();
  }

  std::uint64_t One(First& first, RecentLines& recent, std::uint64_t page, const Causes& causes,
                    EventCounts& to) {
    const std::uint64_t place = first.Use(page);
    return place != First::kNowhere ? place : Fill(first, recent, page, causes, to);
  }

  // Fills the entry from the second level or by a page walk.
  std::uint64_t Fill(First& first, RecentLines& recent, std::uint64_t page, const Causes& causes,
                     EventCounts& to) {
    to.Add(causes.miss);
    if (!second_ || second_->Use(page) == Second::kNowhere) {
      to.Add(causes.walk);
      if (second_) second_->Insert(page);
    }
    const auto inserted = first.Insert(page);
    if (inserted.evicted != First::kNowhere) recent.ForgetPage(inserted.evicted, inserted.place);
    return inserted.place;
  }

  unsigned page_shift_;
  RecentLines& recent_code_;
  RecentLines& recent_data_;
  std::uint64_t second_clock_ = 0;
  std::optional<First> code_;
  std::optional<First> data_;
  std::optional<Second> second_;
};

}  // namespace tare::model
