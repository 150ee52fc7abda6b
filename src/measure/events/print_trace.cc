// print_trace.cc: walks a trace block by block and event by event.
#include "measure/events/print_trace.h"

#include <fmt/format.h>

#include <map>
#include <optional>

#include "measure/events/span_totals.h"
#include "measure/events/system_events.h"

namespace tare::events {
namespace {

using format::BlockEnd;
using format::TraceBlock;

std::string WhereOf(const format::EventTables& tables, std::uint32_t block) {
  const std::uint32_t function = tables.FunctionOf(block);
  if (function == format::kNoFunction) return "[unknown]";
  return fmt::format("{} ({})", tables.functions[function].name, tables.functions[function].object);
}

class Printer {
 public:
  Printer(std::uint64_t count, const std::string& match) : count_(count), match_(match) {}

  Result<std::vector<PrintedEvent>> Run(const std::filesystem::path& path) {
    // Functions may be named at the end of the file.
    TRY(auto names, format::EventTraceReader::Open(path));
    names.SkipBlocks();
    while (names.Next()) continue;
    TRY(auto reader, format::EventTraceReader::Open(path));
    while (lines_.size() < count_ && reader.Next()) {
      TakeBlocks(reader.Blocks(), names.Tables());
      for (const format::TimedEvent& event : reader.Timed()) TakeTimed(event, names.Tables());
    }
    return std::move(lines_);
  }

 private:
  void Add(std::uint32_t thread, std::string event, const std::string& where) {
    if (lines_.size() >= count_) return;
    lines_.push_back({thread, std::move(event), where});
  }

  void TakeBlocks(const format::BlockBatch& batch, const format::EventTables& tables) {
    auto mark = batch.marks.begin();
    std::size_t word = 0;
    for (std::size_t i = 0; i < batch.blocks.size() && lines_.size() < count_; ++i) {
      for (; mark != batch.marks.end() && mark->position <= i; ++mark) TakeMark(*mark);
      const std::uint32_t number = batch.blocks[i];
      const TraceBlock& block = tables.blocks[number];
      const auto words = std::span(batch.words).subspan(word, block.words);
      word += block.words;
      const std::string where = WhereOf(tables, number);
      if (!match_.empty() && !where.contains(match_)) continue;
      Add(thread_,
          fmt::format("{} {:#x}, {} instructions", block.operation ? "operation" : "block",
                      block.address, block.instructions),
          where);
      format::ForEachTouch(block, words, [&](const format::TouchedAddress& touch) {
        Add(thread_,
            fmt::format("{} {:#x}, {} bytes", touch.store ? "store" : "load", touch.address,
                        touch.bytes),
            where);
      });
    }
    for (; mark != batch.marks.end(); ++mark) TakeMark(*mark);
  }

  void TakeMark(const format::BlockMark& mark) {
    if (mark.kind == format::MarkKind::kThread) thread_ = static_cast<std::uint32_t>(mark.value);
    if (!match_.empty()) return;
    if (mark.kind == format::MarkKind::kGap)
      Add(thread_, fmt::format("{} blocks left out", mark.value), "");
    if (mark.kind == format::MarkKind::kSignal)
      Add(thread_,
          mark.value == 0 ? "signal" : fmt::format("signal, continues at {:#x}", mark.value), "");
  }

  void TakeTimed(const format::TimedEvent& event, const format::EventTables& tables) {
    const format::EventSite& site = tables.sites[event.site];
    if (!match_.empty() && !site.name.contains(match_)) return;
    std::string text;
    switch (event.kind) {
      case format::TimedKind::kBegin:
        text = "begin " + site.name;
        break;
      case format::TimedKind::kEnd:
        text = "end " + site.name;
        break;
      case format::TimedKind::kValue:
        text = site.kind == format::SiteKind::kSystem && site.name == kPageFault
                   ? fmt::format("{} {:#x}", site.name, event.value)
                   : fmt::format("{} = {}", site.name, static_cast<std::int64_t>(event.value));
        break;
      case format::TimedKind::kEvent:
        text = site.name;
        break;
    }
    if (event.has_time)
      text += fmt::format(" at {}.{:09} s", event.time_ns / 1'000'000'000,
                          event.time_ns % 1'000'000'000);
    Add(event.thread, std::move(text),
        site.file.empty() ? std::string() : fmt::format("{}:{}", site.file, site.line));
  }

  std::uint64_t count_;
  const std::string& match_;
  std::vector<PrintedEvent> lines_;
  std::uint32_t thread_ = 0;
};

class TraceChecker {
 public:
  CheckedTrace Run(format::EventTraceReader& reader) {
    while (reader.Next()) {
      TakeBlocks(reader.Blocks(), reader.Tables());
      for (const format::TimedEvent& event : reader.Timed()) TakeTimed(event, reader.Tables());
    }
    CheckedTrace checked;
    checked.outcome = reader.Outcome();
    checked.events = events_;
    const std::uint64_t unmatched = spans_.Unmatched();
    nest_.broken = unmatched;
    if (unmatched > 0) nest_.first = fmt::format("{} begins or ends without a partner", unmatched);
    for (CheckedRule* rule : {&continues_, &thread_rule_, &nest_, &times_})
      if (rule->tested > 0) checked.rules.push_back(std::move(*rule));
    return checked;
  }

 private:
  static void Test(CheckedRule& rule, bool holds, auto describe) {
    ++rule.tested;
    if (holds) return;
    if (rule.broken++ == 0) rule.first = describe();
  }

  void TakeBlocks(const format::BlockBatch& batch, const format::EventTables& tables) {
    auto mark = batch.marks.begin();
    for (std::size_t i = 0; i < batch.blocks.size(); ++i) {
      for (; mark != batch.marks.end() && mark->position <= i; ++mark) TakeMark(*mark);
      TakeBlock(batch.blocks[i], tables);
    }
    for (; mark != batch.marks.end(); ++mark) TakeMark(*mark);
    events_ += batch.blocks.size();
  }

  void TakeMark(const format::BlockMark& mark) {
    if (mark.kind == format::MarkKind::kThread) {
      thread_ = static_cast<std::uint32_t>(mark.value);
      has_thread_ = true;
    } else if (mark.kind == format::MarkKind::kGap) {
      last_.clear();
    } else {
      last_.erase(thread_);
    }
  }

  // A conditional branch has two successors. A third one means a fault that no mark explains.
  void TakeBlock(std::uint32_t block, const format::EventTables& tables) {
    Test(thread_rule_, has_thread_, [] { return std::string("a block before any thread"); });
    const auto [known, is_first] = last_.try_emplace(thread_, block);
    if (!is_first) {
      const TraceBlock& from = tables.blocks[known->second];
      const std::uint64_t to = tables.blocks[block].address;
      if (from.end == BlockEnd::kConditional && to != from.address + from.code_bytes) {
        auto& target = targets_[known->second];
        if (!target) target = to;
        Test(continues_, *target == to, [&] {
          return fmt::format("the branch in {:#x} went to {:#x} and to {:#x}", from.address,
                             *target, to);
        });
      } else if (from.end == BlockEnd::kConditional) {
        ++continues_.tested;
      }
      known->second = block;
    }
  }

  void TakeTimed(const format::TimedEvent& event, const format::EventTables& tables) {
    ++events_;
    if (event.has_time) {
      std::uint64_t& last = last_time_[event.thread];
      Test(times_, event.time_ns >= last,
           [&] { return fmt::format("{} ns after {} ns", event.time_ns, last); });
      last = event.time_ns;
    }
    if (event.kind == format::TimedKind::kBegin || event.kind == format::TimedKind::kEnd)
      ++nest_.tested;
    spans_.Take(event, tables.sites, [](const EndedSpan&) {});
  }

  CheckedRule continues_{"a conditional branch has two successors", 0, 0, ""};
  CheckedRule thread_rule_{"every block belongs to a thread", 0, 0, ""};
  CheckedRule nest_{"every span that begins also ends", 0, 0, ""};
  CheckedRule times_{"times of a thread do not decrease", 0, 0, ""};
  std::uint64_t events_ = 0;
  std::uint32_t thread_ = 0;
  bool has_thread_ = false;
  std::map<std::uint32_t, std::uint32_t> last_;  // block, by thread
  std::map<std::uint32_t, std::optional<std::uint64_t>> targets_;
  std::map<std::uint32_t, std::uint64_t> last_time_;
  SpanStacks spans_;
};

}  // namespace

Result<std::vector<PrintedEvent>> PrintEvents(const std::filesystem::path& path,
                                              std::uint64_t count, const std::string& match) {
  return Printer(count, match).Run(path);
}

Result<CheckedTrace> CheckTrace(const std::filesystem::path& path) {
  TRY(auto reader, format::EventTraceReader::Open(path));
  return TraceChecker().Run(reader);
}

}  // namespace tare::events
