// event_trace.cc: names, and the addresses of a block's accesses.
#include "format/event_trace.h"

#include <fmt/format.h>

#include "base/printable.h"

namespace tare::format {

std::string_view Name(TraceEncoding encoding) {
  switch (encoding) {
    case TraceEncoding::kFull:
      return "full";
    case TraceEncoding::kAbstract:
      return "abstract";
    case TraceEncoding::kPredicted:
      break;
  }
  return "predicted";
}

void EventTraceOutcome::StateEnd(const EventTraceEnd& of_file) {
  end = of_file;
  complete = of_file.lost == 0;
  reason = complete
               ? ""
               : fmt::format("incomplete: {} events were lost: {}", of_file.lost,
                             of_file.loss.empty() ? "reason unknown" : Printable(of_file.loss));
}

void BlockBatch::Clear() {
  blocks.clear();
  words.clear();
  marks.clear();
}

void ForEachTouch(const TraceBlock& block, std::span<const std::uint64_t> words,
                  const std::function<void(const TouchedAddress&)>& visit) {
  if (words.size() < block.words) return;
  for (const TraceAccess& access : block.accesses) {
    const std::uint64_t word = access.word == 0 ? 0 : words[access.word - 1];
    const std::uint64_t address = word + access.offset;
    switch (access.kind) {
      case AccessKind::kLoad:
        visit({false, address, access.bytes});
        break;
      case AccessKind::kStore:
        visit({true, address, access.bytes});
        break;
      case AccessKind::kGuardedLoad:
      case AccessKind::kGuardedStore:
        if (word != 0) visit({access.kind == AccessKind::kGuardedStore, address, access.bytes});
        break;
      case AccessKind::kAtomic:
        visit({false, address, access.bytes});
        visit({true, address, access.bytes});
        break;
      case AccessKind::kCopy: {
        const std::uint64_t bytes = words[access.word + 1];
        if (bytes == 0) break;
        visit({false, words[access.word], bytes});
        visit({true, word, bytes});
        break;
      }
      case AccessKind::kSet:
        if (words[access.word] != 0) visit({true, word, words[access.word]});
        break;
    }
  }
}

}  // namespace tare::format
