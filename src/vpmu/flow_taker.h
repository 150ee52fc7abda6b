// flow_taker.h: the records of one flow, told to models in the order of the program.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cache/core.h"
#include "cache/event.h"
#include "trace/flow_reader.h"
#include "vpmu/block_steps.h"
#include "vpmu/flow_totals.h"

namespace tare::vpmu {

// `Model` is a cache::Core, or what tests put in its place. Code is told by lines, as instructions
// reach them; a line that was fetched last is not told again. An instruction's line, or both, come
// before its accesses. Nothing in a flow is trusted.
template <typename Model>
class FlowTaker {
 public:
  // In a region's run only what ran inside of it is counted; the models are told everything.
  FlowTaker(Model model, decode::Architecture architecture, bool of_region)
      : model_(std::move(model)),
        architecture_(architecture),
        of_region_(of_region),
        line_mask_(~(std::uint64_t{model_.code_line_bytes()} - 1)) {
    // No record has the number 0: it stands for what came before the first one.
    kinds_.emplace_back();
    facts_.emplace_back();
  }

  // For samples; before the first record is taken.
  void KeepTotals() { totals_.emplace(); }

  // All descriptions so far, those that were learnt before first among them.
  Result<void> Learn(std::span<const trace::FlowBlock> blocks) {
    while (kinds_.size() - 1 < blocks.size()) {
      TRY(auto described,
          Describe(blocks[kinds_.size() - 1], architecture_, model_.code_line_bytes()));
      described.kind.first_step = static_cast<std::uint32_t>(steps_.size());
      steps_.insert(steps_.end(), described.steps.begin(), described.steps.end());
      kinds_.push_back(described.kind);
      facts_.push_back(described.facts);
      if (described.kind.block >= events_.size()) events_.resize(described.kind.block + 1);
    }
    return {};
  }

  // The words of one chunk, records in whole. `learn` is called for a number that is not known yet:
  // it calls Learn with what came since. `on_sample` may be empty; it is called after KeepTotals
  // only.
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
      if (is_mark && end - at >= 2 && TakeMark(number, at[1], on_sample)) {
        at += 2;
        continue;
      }
      if (!is_mark && number >= kinds_.size()) TRY_VOID(learn());
      if (is_mark || number == 0 || number >= kinds_.size() || kinds_[number].words > end - at ||
          !HasOnly(*at)) {
        return Fail(ErrorKind::kFormat, "flow: a record that no description fits");
      }
    }
  }

  // After KeepTotals: what it came to. Nothing is taken afterwards.
  SampledTotals EndTotals() { return totals_->Close(kinds_, facts_, events_); }

  // How often each block ran; by number.
  std::vector<tare_wire_counters> Counts() const {
    std::vector<tare_wire_counters> counts(events_.size());
    for (const RecordKind& kind : std::span(kinds_).subspan(1)) {
      const tare_wire_counters own = kind.Counters();
      counts[kind.block].executions += own.executions;
      counts[kind.block].second += own.second;
    }
    return counts;
  }

  // By number of block.
  const std::vector<cache::EventCounts>& events() const { return events_; }
  Model& model() { return model_; }

 private:
  static constexpr std::ptrdiff_t kMostWords = TARE_FLOW_RECORD_WORDS;
  static constexpr std::ptrdiff_t kWordsAhead = 128;

  // The last record of a thread: where control went from there is not known yet.
  struct Last {
    std::uint32_t number = 0;
    bool counted = false;
  };

  bool HasOnly(std::uint64_t first) const {
    return (first & ~(TARE_FLOW_NUMBER | (of_region_ ? TARE_FLOW_INSIDE : 0))) == 0;
  }

  const std::uint64_t* TakeBlocks(const std::uint64_t* at, const std::uint64_t* end) {
    if (of_region_) return totals_ ? TakeMost<true, true>(at, end) : TakeMost<true, false>(at, end);
    return totals_ ? TakeMost<false, true>(at, end) : TakeMost<false, false>(at, end);
  }

  // No record is as long as what is left for the second loop: the first need not look.
  template <bool kRegion, bool kTotals>
  const std::uint64_t* TakeMost(const std::uint64_t* at, const std::uint64_t* end) {
    if (end - at > 2 * kMostWords) {
      const std::uint64_t* const limit = end - kMostWords;
      at = Run<kRegion, kTotals, false>(at, limit);
      if (at < limit) return at;
    }
    return Run<kRegion, kTotals, true>(at, end);
  }

  // Takes records of blocks up to the first word that needs more thought, and returns its place.
  template <bool kRegion, bool kTotals, bool kNearEnd>
  const std::uint64_t* Run(const std::uint64_t* at, const std::uint64_t* const end) {
    RecordKind* const kinds = kinds_.data();
    cache::EventCounts* const events = events_.data();
    const Step* const steps = steps_.data();
    const std::uint64_t known = kinds_.size() - 1;
    std::uint64_t line = line_;
    std::uint64_t number = last_.number;
    bool last_counted = last_.counted;
    RecordKind* last = &kinds[number];
    auto& branches = model_.branches();
    const auto recent = model_.recent();
    std::uint64_t moment = model_.moment();
    while (at < end) {
      // The words come from another core.
      __builtin_prefetch(at + kWordsAhead);
      const std::uint64_t next = kRegion ? *at & ~TARE_FLOW_INSIDE : *at;
      // A mark, a number that is not known and 0 are all not less.
      if (next - 1 >= known) [[unlikely]]
        break;
      RecordKind& kind = kinds[next];
      if (kNearEnd && kind.words > end - at) [[unlikely]]
        break;
      const bool counted = !kRegion || (*at & TARE_FLOW_INSIDE) != 0;
      if (last->ending == Ending::kConditional) [[likely]] {
        Branch(*last, last_counted, kind.start, branches);
      } else if (last->ending != Ending::kNothing) {
        Resolve(*last, last_counted, kind.start);
      }
      number = next;
      last = &kind;
      last_counted = counted;
      kind.records += counted ? 1 : 0;
      if constexpr (kTotals) Mark(static_cast<std::uint32_t>(number));
      cache::EventCounts& to = counted ? events[kind.block] : elsewhere_;
      if (kind.first_line != line) {
        moment = model_.Fetch(recent, moment, kind.start, kind.first_bytes, to);
      }
      const Step* step = steps + kind.first_step;
      for (const Step* const stop = step + kind.steps; step != stop; ++step) {
        moment = Do(recent, moment, *step, kind.start, at, to);
      }
      line = (kind.behind() - 1) & line_mask_;
      at += kind.words;
    }
    model_.SetMoment(moment);
    line_ = line;
    last_ = {static_cast<std::uint32_t>(number), last_counted};
    return at;
  }

  // Moments as those of cache::Core.
  std::uint64_t Do(const auto& recent, std::uint64_t moment, const Step& step, std::uint64_t start,
                   const std::uint64_t* record, cache::EventCounts& to) {
    const std::uint64_t base = step.word == 0 ? 0 : record[step.word];
    if (step.kind > StepKind::kStore) [[unlikely]] {
      if (step.kind == StepKind::kFetch) {
        return model_.Fetch(recent, moment, step.offset, step.bytes(), to);
      }
      if (base == 0) return moment;
    }
    return model_.Access(
        recent, moment,
        {base + step.offset, step.bytes(), IsStore(step.kind), start + step.code_offset}, to);
  }

  cache::EventCounts& EventsOf(const RecordKind& kind, bool counted) {
    return counted ? events_[kind.block] : elsewhere_;
  }

  // The conditional branch at the end of `from` went to `address`.
  void Branch(RecordKind& from, bool counted, std::uint64_t address, auto& branches) {
    const bool taken = address != from.behind();
    from.second += counted && !taken ? 1 : 0;
    branches.Conditional(from.start + from.branch_offset, taken, EventsOf(from, counted));
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

  // The kind of record is looked at when the next sample comes.
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
        if (on_sample) on_sample(totals_->Close(kinds_, facts_, events_));
        // What becomes of its branch belongs to the next sample.
        Mark(last_.number);
        return true;
      default:
        return false;
    }
  }

  // A fault comes before the record of the block that it is in: of a branch's two ways, it lies on
  // the one whose start is nearer before it.
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
  std::uint64_t line_mask_;
  std::vector<RecordKind> kinds_;  // by number of record
  std::vector<BlockFacts> facts_;
  std::vector<Step> steps_;
  std::vector<cache::EventCounts> events_;
  cache::EventCounts elsewhere_;  // outside of the region
  std::optional<FlowTotals> totals_;
  std::uint64_t line_ = kNothingFetched;  // that was fetched last
  Last last_;
  std::uint64_t thread_ = 0;
  std::map<std::uint64_t, Last> threads_;  // those that do not run
};

}  // namespace tare::vpmu
