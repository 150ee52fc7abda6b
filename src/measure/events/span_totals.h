// span_totals.h: matches the begins and ends of spans, and adds up their times.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "format/event_trace.h"

namespace tare::events {

// A span that ended.
struct EndedSpan {
  std::uint32_t site = 0;
  std::uint32_t thread = 0;
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::uint64_t own_ns = 0;      // without the spans inside
  std::uint64_t inside = 0;      // spans inside, at any depth
  std::uint64_t directly = 0;    // spans directly inside
  std::uint64_t own_events = 0;  // events and values inside, at any depth
  std::size_t depth = 0;         // 0: in no other span
};

// Each thread has a stack of open spans. An end closes the innermost open span of its name; open
// spans above that one were left without an end (by longjmp or an exception) and are dropped.
class SpanStacks {
 public:
  // Calls `ended` for each span that ends.
  void Take(const format::TimedEvent& event, std::span<const format::EventSite> sites,
            const std::function<void(const EndedSpan&)>& ended);
  // Begins and ends without a partner so far, including spans that are still open.
  std::uint64_t Unmatched() const;

 private:
  struct Open {
    std::uint32_t site = 0;
    std::uint64_t begin_ns = 0;
    std::uint64_t inside_ns = 0;
    std::uint64_t inside = 0;
    std::uint64_t directly = 0;
    std::uint64_t events = 0;
  };

  std::map<std::uint32_t, std::vector<Open>> stacks_;  // by thread
  std::uint32_t last_thread_ = 0;
  std::vector<Open>* last_stack_ = nullptr;  // of that thread
  std::uint64_t unmatched_ = 0;
};

}  // namespace tare::events
