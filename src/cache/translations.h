// translations.h: the TLBs of a core together.
#pragma once

#include <cstdint>
#include <optional>

#include "cache/event.h"
#include "cache/processor.h"
#include "cache/recent_lines.h"
#include "cache/tlb.h"

namespace tare::cache {

class Translations {
 public:
  // `processor` is valid; its size of pages decides which set of TLBs is built. The recent lines
  // of code and data outlive this.
  Translations(const Processor& processor, RecentLines& code, RecentLines& data);
  Translations(const Translations&) = delete;
  Translations& operator=(const Translations&) = delete;

  // All pages of an access, in order.
  void Code(std::uint64_t address, std::uint64_t bytes, EventCounts& to) {
    if (code_) Pages(*code_, recent_code_, address, bytes, kCode, to);
  }
  void Data(std::uint64_t address, std::uint64_t bytes, bool store, EventCounts& to) {
    if (data_) Pages(*data_, recent_data_, address, bytes, store ? kStore : kLoad, to);
  }

 private:
  struct Causes {
    Event miss;
    Event walk;
  };
  static constexpr Causes kCode = {Event::kItlbMisses, Event::kInstructionWalks};
  static constexpr Causes kLoad = {Event::kDtlbLoadMisses, Event::kDataWalks};
  static constexpr Causes kStore = {Event::kDtlbStoreMisses, Event::kDataWalks};

  void Pages(Tlb& first, RecentLines& recent, std::uint64_t address, std::uint64_t bytes,
             const Causes& causes, EventCounts& to) {
    std::uint64_t page = address >> page_shift_;
    const std::uint64_t last = (address + bytes - 1) >> page_shift_;
    recent.OnPage(One(first, recent, page, causes, to));
    if (page == last) return;
    const std::uint64_t most = ~std::uint64_t{0} >> page_shift_;
    while (page != last) One(first, recent, page = (page + 1) & most, causes, to);
    recent.OnSeveralPages();
  }
  std::uint64_t One(Tlb& first, RecentLines& recent, std::uint64_t page, const Causes& causes,
                    EventCounts& to) {
    const std::uint64_t place = first.Use(page);
    return place != Tlb::kNowhere ? place : Bring(first, recent, page, causes, to);
  }
  std::uint64_t Bring(Tlb& first, RecentLines& recent, std::uint64_t page, const Causes& causes,
                      EventCounts& to);

  unsigned page_shift_;
  RecentLines& recent_code_;
  RecentLines& recent_data_;
  std::uint64_t second_clock_ = 0;
  std::optional<Tlb> code_;
  std::optional<Tlb> data_;
  std::optional<Tlb> second_;
};

}  // namespace tare::cache
