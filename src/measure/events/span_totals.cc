// span_totals.cc: one stack of open spans per thread.
#include "measure/events/span_totals.h"

#include <algorithm>

namespace tare::events {

void SpanStacks::Take(const format::TimedEvent& event, std::span<const format::EventSite> sites,
                      const std::function<void(const EndedSpan&)>& ended) {
  if (last_stack_ == nullptr || event.thread != last_thread_) {
    last_thread_ = event.thread;
    last_stack_ = &stacks_[event.thread];
  }
  std::vector<Open>& stack = *last_stack_;
  if (event.kind == format::TimedKind::kBegin) {
    stack.push_back({event.site, event.time_ns});
    return;
  }
  if (event.kind != format::TimedKind::kEnd) {
    if (!stack.empty()) ++stack.back().events;
    return;
  }
  const std::string& name = sites[event.site].name;
  const auto found = std::find_if(stack.rbegin(), stack.rend(), [&](const Open& open) {
    return open.site == event.site || sites[open.site].name == name;
  });
  if (found == stack.rend()) {
    ++unmatched_;
    return;
  }
  unmatched_ += static_cast<std::uint64_t>(found - stack.rbegin());
  stack.erase(found.base(), stack.end());
  const Open open = stack.back();
  stack.pop_back();
  const std::uint64_t end = std::max(event.time_ns, open.begin_ns);
  const std::uint64_t whole = end - open.begin_ns;
  EndedSpan span{open.site,
                 event.thread,
                 open.begin_ns,
                 end,
                 whole - std::min(whole, open.inside_ns),
                 open.inside,
                 open.directly,
                 open.events,
                 stack.size()};
  if (!stack.empty()) {
    stack.back().inside_ns += whole;
    stack.back().inside += open.inside + 1;
    ++stack.back().directly;
    stack.back().events += open.events;
  }
  ended(span);
}

std::uint64_t SpanStacks::Unmatched() const {
  std::uint64_t open = 0;
  for (const auto& [thread, stack] : stacks_) open += stack.size();
  return unmatched_ + open;
}

}  // namespace tare::events
