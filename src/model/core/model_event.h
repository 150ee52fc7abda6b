// model_event.h: the events that the models of a processor count.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tare::model {

enum class Event {
  kL1iMisses,
  kL1dLoadMisses,
  kL1dStoreMisses,
  kL2InstructionMisses,
  kL2LoadMisses,
  kL2StoreMisses,
  kL3InstructionMisses,
  kL3LoadMisses,
  kL3StoreMisses,
  kL1dWriteBacks,
  kL2WriteBacks,
  kL3WriteBacks,
  kItlbMisses,      // of the first level
  kDtlbLoadMisses,  // of the first level
  kDtlbStoreMisses,
  kInstructionWalks,  // page walks: no level had the translation
  kDataWalks,
  kPrefetches,      // lines that a prefetcher filled
  kPrefetchesUsed,  // prefetched lines that were then accessed
  kConditionalMispredictions,
  kIndirectMispredictions,  // jumps and calls whose target was mispredicted
  kReturnMispredictions,
};

inline constexpr std::size_t kEvents = static_cast<std::size_t>(Event::kReturnMispredictions) + 1;

// The events of a block, a function or a program.
class EventCounts {
 public:
  std::uint64_t operator[](Event event) const { return counts_[static_cast<std::size_t>(event)]; }
  void Add(Event event, std::uint64_t amount = 1) {
    counts_[static_cast<std::size_t>(event)] += amount;
  }
  EventCounts& operator+=(const EventCounts& other);
  bool operator==(const EventCounts&) const = default;

 private:
  std::array<std::uint64_t, kEvents> counts_{};
};

// A named metric: one event or the sum of several.
struct EventText {
  std::string_view id;     // column name: "l1d-misses"
  std::string_view about;  // one line for help
  std::span<const Event> events;
  bool main;  // shown by default
};

// l1i-misses, l1d-load-misses, l1d-store-misses, l1d-misses, l2-instruction-misses, l2-data-misses,
// l2-misses, l3-instruction-misses, l3-data-misses, l3-misses, l1d-write-backs, l2-write-backs,
// l3-write-backs, itlb-misses, dtlb-misses, instruction-walks, data-walks, prefetches,
// prefetches-used, conditional-mispredictions, indirect-mispredictions, return-mispredictions,
// mispredictions.
std::span<const EventText> EventTable();

std::uint64_t Sum(const EventCounts& counts, const EventText& text);

}  // namespace tare::model
