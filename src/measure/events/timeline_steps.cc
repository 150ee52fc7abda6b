// timeline_steps.cc: one stack of entered names per thread.
#include "measure/events/timeline_steps.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace tare::events {
namespace {

class StepMaker {
 public:
  StepMaker(format::EventTraceReader& reader, bool correct,
            const std::function<void(const TimelineStep&)>& visit)
      : reader_(reader), correct_(correct), visit_(visit) {}

  // The names of functions may come at the end of the file, so `tables` are those of a first pass.
  void Run(const format::EventTables& tables) {
    tables_ = &tables;
    while (reader_.Next()) {
      TakeBlocks(reader_.Blocks());
      for (const format::TimedEvent& event : reader_.Timed()) TakeTimed(event);
    }
    for (auto& [number, thread] : threads_)
      while (!thread.open.empty()) Leave(number, thread);
  }

 private:
  struct Thread {
    std::uint64_t time = 0;
    double cost = 0;  // of the events so far
    std::vector<std::string_view> open;
    std::uint32_t function = format::kNoFunction;
    bool in_function = false;
    std::uint64_t instructions = 0;
  };

  void Leave(std::uint32_t number, Thread& thread) {
    visit_({StepKind::kLeave, thread.open.back(), number, thread.time, 0});
    thread.open.pop_back();
  }

  void Enter(std::uint32_t number, Thread& thread, std::string_view name) {
    thread.open.push_back(name);
    visit_({StepKind::kEnter, name, number, thread.time, 0});
  }

  void TakeTimed(const format::TimedEvent& event) {
    Thread& thread = threads_[event.thread];
    const format::EventTraceHead& head = reader_.Head();
    const bool is_span =
        event.kind == format::TimedKind::kBegin || event.kind == format::TimedKind::kEnd;
    const auto off = static_cast<std::uint64_t>(correct_ ? thread.cost : 0);
    thread.time = std::max(thread.time, event.time_ns - std::min(event.time_ns, off));
    const format::EventSite& site = tables_->sites[event.site];
    const std::string_view name = site.name;
    if (site.kind == format::SiteKind::kSystem) {
      visit_({StepKind::kInstant, name, event.thread, thread.time,
              static_cast<std::int64_t>(event.value), true});
      return;
    }
    thread.cost += is_span ? head.span_cost.ns / 2 : head.event_cost.ns;
    switch (event.kind) {
      case format::TimedKind::kBegin:
        Enter(event.thread, thread, name);
        break;
      case format::TimedKind::kEnd:
        if (std::ranges::find(thread.open, name) == thread.open.end()) break;
        while (thread.open.back() != name) Leave(event.thread, thread);
        Leave(event.thread, thread);
        break;
      case format::TimedKind::kEvent:
        visit_({StepKind::kInstant, name, event.thread, thread.time, 0});
        break;
      case format::TimedKind::kValue:
        visit_({StepKind::kValue, name, event.thread, thread.time,
                static_cast<std::int64_t>(event.value)});
        break;
    }
  }

  void TakeBlocks(const format::BlockBatch& batch) {
    auto mark = batch.marks.begin();
    for (std::size_t i = 0; i < batch.blocks.size(); ++i) {
      while (mark != batch.marks.end() && mark->position <= i) TakeMark(*mark++);
      TakeBlock(batch.blocks[i]);
    }
    while (mark != batch.marks.end()) TakeMark(*mark++);
  }

  void TakeMark(const format::BlockMark& mark) {
    if (mark.kind == format::MarkKind::kThread) now_ = static_cast<std::uint32_t>(mark.value);
  }

  void TakeBlock(std::uint32_t block) {
    Thread& thread = threads_[now_];
    const std::uint32_t function = tables_->FunctionOf(block);
    thread.time = std::max(thread.time, thread.instructions);
    if (!thread.in_function || function != thread.function) {
      if (thread.in_function && !thread.open.empty()) Leave(now_, thread);
      Enter(now_, thread,
            function == format::kNoFunction ? std::string_view("[unknown]")
                                            : std::string_view(tables_->functions[function].name));
      thread.in_function = true;
      thread.function = function;
    }
    thread.instructions += std::max(1u, tables_->blocks[block].instructions);
    thread.time = thread.instructions;
  }

  format::EventTraceReader& reader_;
  bool correct_;
  const std::function<void(const TimelineStep&)>& visit_;
  const format::EventTables* tables_ = nullptr;
  std::map<std::uint32_t, Thread> threads_;
  std::uint32_t now_ = 0;
};

}  // namespace

Result<void> ForEachStep(const std::filesystem::path& path, bool correct,
                         const std::function<void(const TimelineStep&)>& visit) {
  TRY(auto first, format::EventTraceReader::Open(path));
  first.SkipBlocks();
  while (first.Next()) continue;
  TRY(auto reader, format::EventTraceReader::Open(path));
  StepMaker(reader, correct, visit).Run(first.Tables());
  return {};
}

}  // namespace tare::events
