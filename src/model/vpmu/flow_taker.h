// flow_taker.h: passes the records of one flow to the models in program order.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"
#include "format/flow_reader.h"
#include "model/core/core.h"
#include "model/core/model_event.h"
#include "model/vpmu/block_events.h"
#include "model/vpmu/block_steps.h"
#include "model/vpmu/flow_totals.h"

namespace tare::vpmu {

// `Model` is a model::Core or offers the same members. Code is fetched line by line as instructions
// reach the lines; the line fetched last is not fetched again. The lines of an instruction are
// fetched before its accesses. Trusts nothing in a flow.
template <typename Model>
class FlowTaker {
 public:
  using BlockEvents = BlockEventsOf<Model>::Type;
  // Called at each mark, before its effect: its kind, its second word, and its place in the chunk.
  using OnMark =
      std::function<void(std::uint64_t mark, std::uint64_t word, const std::uint64_t* at)>;

  // With `of_region`, only executions inside the region are counted, but the models see all of
  // them.
  FlowTaker(Model model, decode::Architecture architecture, bool of_region)
      : model_(std::move(model)),
        architecture_(architecture),
        of_region_(of_region),
        lines_{model_.code_line_bytes(), model_.data_line_bytes()},
        line_mask_(~(std::uint64_t{lines_.code} - 1)) {
    // No record has the number 0; it represents the time before the first record.
    kinds_.emplace_back();
    facts_.emplace_back();
    steps_.emplace_back();
  }

  // Accepts records whose accesses were dropped by a filter that is exact for the model.
  void AcceptDropped() { dropped_ = TARE_FLOW_UNCHANGED; }

  // Accepts a sparse flow, whose lines between windows are passed to Model::UseLine.
  void AcceptLines() { accepts_lines_ = true; }

  // Enables samples; call it before the first record.
  void EnableTotals() { totals_.emplace(); }
  void SetOnMark(OnMark on_mark) { on_mark_ = std::move(on_mark); }
  Model& model() { return model_; }
  // By record number.
  std::span<const RecordKind> Kinds() const { return kinds_; }

  // `blocks` are all descriptions so far, starting with those passed before.
  Result<void> Learn(std::span<const format::FlowBlock> blocks) {
    while (kinds_.size() - 1 < blocks.size()) {
      TRY(auto described,
          Describe(blocks[kinds_.size() - 1], kinds_.size(), architecture_, lines_));
      described.kind.first_step = static_cast<std::uint32_t>(steps_.size());
      steps_.insert(steps_.end(), described.steps.begin(), described.steps.end());
      if (!described.fetches.empty()) {
        described.kind.first_fetch = static_cast<std::uint32_t>(steps_.size());
        steps_.insert(steps_.end(), described.fetches.begin(), described.fetches.end());
      }
      max_words_ = std::max<std::ptrdiff_t>(max_words_, described.kind.words);
      kinds_.push_back(described.kind);
      facts_.push_back(described.facts);
      AddBlocks(described.kind.block);
    }
    return {};
  }

  // Processes the words of one chunk, which must contain whole records. Calls `learn` for an
  // unknown number; `learn` must call Learn with all descriptions. `on_sample` may be empty and is
  // called only after EnableTotals.
  Result<void> Take(std::span<const std::uint64_t> words,
                    const std::function<Result<void>()>& learn,
                    const std::function<void(const SampledTotals&)>& on_sample) {
    const std::uint64_t* at = words.data();
    const std::uint64_t* const end = at + words.size();
    while (true) {
      at = TakeBlocks(at, end);
      if (at == end) return {};
      const std::uint64_t number = *at & TARE_FLOW_NUMBER;
      const bool is_mark = (*at & TARE_FLOW_MARK) != 0;
      if (!is_mark && accepts_lines_ && (*at & TARE_FLOW_LINES) != 0) {
        if (number >= kinds_.size()) TRY_VOID(learn());
        const std::uint64_t* const begin = std::exchange(at, TakeLines(at, end));
        if (at == begin) return Damaged();
        continue;
      }
      if (is_mark && end - at >= 2) {
        if (on_mark_) on_mark_(number, at[1], at);
        if (!TakeMark(number, at[1], on_sample)) return Damaged();
        at += 2;
        continue;
      }
      if (!is_mark && number >= kinds_.size()) TRY_VOID(learn());
      if (is_mark || number == 0 || number >= kinds_.size() || !HasOnly(*at) ||
          WordsOf(kinds_[number], *at & dropped_) > end - at) {
        return Damaged();
      }
    }
  }

  // The final totals; needs EnableTotals. Take must not be called afterwards.
  SampledTotals EndTotals() { return totals_->Close(kinds_, facts_, events_); }

  // The execution counts by block number.
  std::vector<tare_wire_counters> Counts() const {
    std::vector<tare_wire_counters> counts(events_.size());
    for (const RecordKind& kind : std::span(kinds_).subspan(1)) {
      const tare_wire_counters own = kind.Counters();
      counts[kind.block].executions += own.executions;
      counts[kind.block].second += own.second;
    }
    return counts;
  }

  // What the model counted, by block number.
  std::vector<BlockEvents> Events() const {
    std::vector<BlockEvents> events = events_;
    for (const RecordKind& kind : std::span(kinds_).subspan(1)) {
      events[kind.block].Add(model::Event::kConditionalMispredictions, kind.wrong);
    }
    return events;
  }

 private:
  static constexpr std::ptrdiff_t kWordsAhead = 128;
  static constexpr unsigned kUsualLine = 64;

  // The last record of a thread; it is not known yet where control went from there.
  struct Last {
    std::uint32_t number = 0;
    bool counted = false;
  };

  static std::unexpected<Error> Damaged() {
    return Fail(ErrorKind::kFormat, "flow: a record without a matching description");
  }

  void AddBlocks(std::size_t last) {
    while (events_.size() <= last) {
      if constexpr (!std::is_same_v<BlockEvents, model::EventCounts>) {
        events_.emplace_back(static_cast<std::uint32_t>(events_.size()));
      } else {
        events_.emplace_back();
      }
    }
  }

  // Passes on lines up to the first word that needs other handling, or is damaged.
  const std::uint64_t* TakeLines(const std::uint64_t* at, const std::uint64_t* const end) {
    if constexpr (requires(BlockEvents& events) { model_.UseLine(std::uint64_t{}, events); }) {
      while (at < end && (*at & (TARE_FLOW_MARK | TARE_FLOW_LINES)) == TARE_FLOW_LINES) {
        __builtin_prefetch(at + kWordsAhead);
        const std::uint64_t number = *at & TARE_FLOW_NUMBER;
        const std::uint64_t count = *at >> TARE_FLOW_LINES_SHIFT;
        const std::uint64_t usual = number | TARE_FLOW_LINES | count << TARE_FLOW_LINES_SHIFT;
        if (number - 1 >= kinds_.size() - 1 || *at != usual || count == 0 ||
            count >= static_cast<std::uint64_t>(end - at)) [[unlikely]]
          break;
        BlockEvents& events = events_[kinds_[number].block];
        ++at;
        for (const std::uint64_t* const behind = at + count; at != behind; ++at)
          model_.UseLine(*at, events);
      }
    }
    return at;
  }

  bool HasOnly(std::uint64_t first) const {
    return (first & ~(TARE_FLOW_NUMBER | dropped_ | (of_region_ ? TARE_FLOW_INSIDE : 0))) == 0;
  }

  static std::ptrdiff_t WordsOf(const RecordKind& kind, std::uint64_t dropped) {
    return dropped != 0 ? 1 : kind.words;
  }

  const std::uint64_t* TakeBlocks(const std::uint64_t* at, const std::uint64_t* end) {
    constexpr bool kHasNoCode = requires { Model::kHasNoCode; };
    const bool plain = !of_region_ && !totals_ && (kHasNoCode || lines_.code == kUsualLine) &&
                       lines_.data == kUsualLine;
    return plain ? TakeMost<true>(at, end) : TakeMost<false>(at, end);
  }

  // The second loop gets as many words as any record can have, so the first need not check for the
  // end.
  template <bool kPlain>
  const std::uint64_t* TakeMost(const std::uint64_t* at, const std::uint64_t* end) {
    if (end - at > 2 * max_words_) {
      const std::uint64_t* const limit = end - max_words_;
      at = Run<kPlain, false>(at, limit);
      if (at < limit) return at;
    }
    return Run<kPlain, true>(at, end);
  }

  // Processes records of blocks up to the first word that needs other handling, and returns its
  // address. Rare work is done by separate functions that recompute what they need, so that the
  // loop has few live values. kPlain means no region, no samples, and lines of kUsualLine bytes.
  template <bool kPlain, bool kNearEnd>
  const std::uint64_t* Run(const std::uint64_t* at, const std::uint64_t* const end) {
    constexpr unsigned kShift = kPlain ? std::countr_zero(kUsualLine) : 0;
    RecordKind* const kinds = kinds_.data();
    const Step* const steps = steps_.data();
    const std::uint64_t known = kinds_.size() - 1;
    const auto recent = model_.recent();
    const std::uint64_t line_mask = line_mask_;
    const std::uint64_t may_drop = dropped_;
    auto& branches = model_.branches();
    std::uint64_t line = line_;
    bool counted = last_.counted;
    RecordKind* kind = &kinds[last_.number];
    std::uint64_t time = model_.time();
    while (at < end) {
      // The words were written by another core.
      __builtin_prefetch(at + kWordsAhead);
      const std::uint64_t inside = !kPlain && of_region_ ? *at & TARE_FLOW_INSIDE : 0;
      const std::uint64_t dropped = *at & may_drop;
      const std::uint64_t number = *at ^ inside ^ dropped;
      // This also catches marks, unknown numbers and 0.
      if (number - 1 >= known) [[unlikely]]
        break;
      RecordKind* const next = &kinds[number];
      if (kNearEnd && WordsOf(*next, dropped) > end - at) [[unlikely]]
        break;
      if (kind->ending == Ending::kConditional) [[likely]] {
        Branch(*kind, kPlain || counted, next->start, branches);
      } else if (kind->ending != Ending::kNothing) {
        Resolve(*kind, counted, next->start);
      }
      kind = next;
      counted = kPlain || !of_region_ || inside != 0;
      kind->records += counted ? 1 : 0;
      if (!kPlain && totals_) Mark(static_cast<std::uint32_t>(number));
      if (kind->first_line != line) {
        time += model::kClockStep;
        if (!recent.code.template UseLine<kShift>(kind->first_line, time)) [[unlikely]]
          time = FetchFirst(time, *kind, counted);
      }
      const std::uint64_t* const record = at;
      at += WordsOf(*kind, dropped);
      line = (kind->behind() - 1) & line_mask;
      const std::uint32_t first_step = dropped != 0 ? kind->first_fetch : kind->first_step;
      if (first_step == 0) continue;
      for (const Step* step = steps + first_step;;) {
        if (step->kind > StepKind::kLoad) {
          if (step->kind == StepKind::kEnd) break;
          time = Special(recent, time, *step, record, *kind, counted);
          ++step;
          continue;
        }
        std::uint64_t base = record[step->word];
        if (!kPlain && step->word == 0) base = number;
        const std::uint64_t address = base + step->offset;
        time += model::kClockStep;
        if (recent.data.template Use<kShift>(address, step->bound(), time)) [[likely]] {
          step += step->steps;
        } else {
          if (step->steps == 1) time = Access(time, address, *step, *kind, counted);
          ++step;
        }
      }
    }
    model_.SetTime(time);
    line_ = line;
    last_ = {static_cast<std::uint32_t>(kind - kinds), counted};
    return at;
  }

  // Times are those of model::Core.
  [[gnu::noinline]] std::uint64_t FetchFirst(std::uint64_t time, const RecordKind& kind,
                                             bool counted) {
    if (kind.first_line == kNoLine &&
        model_.recent().code.UseTwo(kind.start, kind.first_bytes - 1U, false, time)) [[likely]]
      return time + model::kClockStep;
    return model_.FetchSlow(time, kind.start, kind.first_bytes, EventsOf(kind, counted));
  }

  [[gnu::noinline]] std::uint64_t Access(std::uint64_t time, std::uint64_t address,
                                         const Step& step, const RecordKind& kind, bool counted) {
    const std::uint32_t bytes = step.bytes(lines_.data);
    const bool store = IsStore(step.kind);
    if (model_.recent().data.UseTwo(address, bytes - 1, store, time)) {
      return time + model::kClockStep;
    }
    return model_.AccessSlow(time, {address, bytes, store, kind.start + step.code_offset},
                             EventsOf(kind, counted));
  }

  // Handles all steps except plain loads and stores.
  std::uint64_t Special(const auto& recent, std::uint64_t time, const Step& step,
                        const std::uint64_t* record, const RecordKind& kind, bool counted) {
    if (step.kind == StepKind::kFetch) {
      time += model::kClockStep;
      if (recent.code.Use(step.offset, step.size, false, time)) [[likely]]
        return time;
      if (recent.code.UseTwo(step.offset, step.size, false, time)) [[likely]]
        return time + model::kClockStep;
      return model_.FetchSlow(time, step.offset, step.bytes(lines_.data), EventsOf(kind, counted));
    }
    std::uint64_t base = record[step.word];
    if (IsGuarded(step.kind) && base == 0) return time;
    if (step.word == 0) base &= TARE_FLOW_NUMBER;
    const std::uint64_t address = base + step.offset;
    time += model::kClockStep;
    if constexpr (requires(BlockEvents& events) { events.AddGuarded(false, 0U); }) {
      if (IsGuarded(step.kind))
        EventsOf(kind, counted).AddGuarded(IsStore(step.kind), step.bytes(lines_.data));
    }
    if (recent.data.Use(address, step.size, IsStore(step.kind), time)) return time;
    return Access(time, address, step, kind, counted);
  }

  BlockEvents& EventsOf(const RecordKind& kind, bool counted) {
    return counted ? events_[kind.block] : elsewhere_;
  }

  // The conditional branch at the end of `from` went to `address`.
  static void Branch(RecordKind& from, bool counted, std::uint64_t address, auto& branches) {
    const bool taken = address != from.behind();
    const bool wrong = branches.Mispredicts(from.start + from.branch_offset, taken);
    from.second += counted && !taken ? 1 : 0;
    from.wrong += counted && wrong ? 1 : 0;
  }

  void Resolve(RecordKind& from, bool counted, std::uint64_t address) {
    auto& branches = model_.branches();
    const std::uint64_t branch = from.start + from.branch_offset;
    switch (from.ending) {
      case Ending::kNothing:
        break;
      case Ending::kConditional:
        Branch(from, counted, address, branches);
        break;
      case Ending::kIndirectJump:
        branches.IndirectJump(branch, address, EventsOf(from, counted));
        break;
      case Ending::kIndirectCall:
        branches.IndirectJump(branch, address, EventsOf(from, counted));
        branches.Call(from.behind());
        break;
      case Ending::kCall:
        branches.Call(from.behind());
        break;
      case Ending::kReturn:
        branches.Return(address, EventsOf(from, counted));
        break;
      case Ending::kOperation:
        from.second += counted && address == from.start ? 1 : 0;
        break;
    }
  }

  // Registers the kind of record for the next sample.
  void Mark(std::uint32_t number) {
    if (kinds_[number].sample == totals_->sample() || number == 0) [[likely]]
      return;
    kinds_[number].sample = totals_->sample();
    totals_->Ran(number);
  }

  bool TakeMark(std::uint64_t mark, std::uint64_t word,
                const std::function<void(const SampledTotals&)>& on_sample) {
    switch (mark) {
      case TARE_FLOW_THREAD:
        threads_[thread_] = last_;
        thread_ = word;
        last_ = threads_[thread_];
        if (totals_) Mark(last_.number);
        return true;
      case TARE_FLOW_SIGNAL:
        TakeSignal(word);
        return true;
      case TARE_FLOW_SAMPLE:
        if (!totals_) return true;
        if constexpr (std::is_same_v<BlockEvents, model::EventCounts>) {
          if (on_sample) on_sample(totals_->Close(kinds_, facts_, events_));
        }
        // The outcome of its branch belongs to the next sample.
        Mark(last_.number);
        return true;
      case TARE_FLOW_BURST:
        // Between windows there is no record of what followed.
        if (accepts_lines_) {
          last_ = {};
          threads_.clear();
          line_ = kNothingFetched;
        }
        return word <= 1;
      default:
        return false;
    }
  }

  // A fault is recorded before the block in which it occurs. It is on the path of the branch whose
  // start is nearer before the faulting address.
  void TakeSignal(std::uint64_t address) {
    RecordKind& from = kinds_[last_.number];
    const std::uint64_t target = facts_[last_.number].target;
    if (from.ending == Ending::kConditional) {
      address = address - from.behind() < address - target ? from.behind() : target;
    }
    Resolve(from, last_.counted, address);
    last_ = {};
  }

  Model model_;
  decode::Architecture architecture_;
  bool of_region_;
  LineBytes lines_;
  std::uint64_t line_mask_;
  bool accepts_lines_ = false;
  std::uint64_t dropped_ = 0;      // TARE_FLOW_UNCHANGED if it is accepted
  std::ptrdiff_t max_words_ = 1;   // of the records described so far
  std::vector<RecordKind> kinds_;  // by record number
  std::vector<BlockFacts> facts_;
  std::vector<Step> steps_;
  std::vector<BlockEvents> events_;
  BlockEvents elsewhere_;  // outside the region
  std::optional<FlowTotals> totals_;
  OnMark on_mark_;
  std::uint64_t line_ = kNothingFetched;  // the line fetched last
  Last last_;
  std::uint64_t thread_ = 0;
  std::map<std::uint64_t, Last> threads_;  // threads that are not running
};

}  // namespace tare::vpmu
