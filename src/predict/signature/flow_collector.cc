// flow_collector.cc: feeds flows to the models of memory use, whole and by thread.
#include "predict/signature/flow_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "model/vpmu/flow_taker.h"
#include "predict/signature/block_use.h"
#include "predict/signature/reuse_model.h"

namespace tare::signature {
namespace {

using Taker = vpmu::FlowTaker<ReuseModel>;

// The accesses that every record of a kind makes; guarded ones are counted as they happen.
struct RecordAccesses {
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  std::uint64_t load_bytes = 0;
  std::uint64_t store_bytes = 0;
};

RecordAccesses AccessesOf(const format::FlowBlock& block) {
  RecordAccesses accesses;
  for (const format::FlowAccess& access : block.accesses) {
    if (access.kind == TARE_FLOW_LOAD) {
      ++accesses.loads;
      accesses.load_bytes += access.bytes;
    } else if (access.kind == TARE_FLOW_STORE) {
      ++accesses.stores;
      accesses.store_bytes += access.bytes;
    }
  }
  return accesses;
}

class FlowCollector : public vpmu::FlowSink {
 public:
  FlowCollector(const CollectPlan& plan, const vpmu::FlowOrigin& origin,
                std::vector<CollectedFlow>& flows)
      : plan_(plan),
        origin_(origin),
        flows_(flows),
        memory_plan_(MemoryPlanOf(plan.grid, plan.sampling, plan.stride_depth)),
        all_(MakeTaker()) {
    if (IsSparse()) {
      all_->AcceptLines();
      all_->model().SampleTargets();
      all_->model().EndWindow();
    } else if (origin.filter.entries != 0) {
      all_->AcceptDropped();
    }
    all_->SetOnMark([this](std::uint64_t mark, std::uint64_t word, const std::uint64_t* at) {
      OnMark(mark, word, at);
    });
  }

  Result<void> Learn(std::span<const format::FlowBlock> blocks) override {
    for (std::size_t i = accesses_.size(); i < blocks.size(); ++i)
      accesses_.push_back(AccessesOf(blocks[i]));
    blocks_ = blocks;
    TRY_VOID(all_->Learn(blocks));
    return {};
  }

  Result<void> Take(std::span<const std::uint64_t> words,
                    const std::function<Result<void>()>& learn) override {
    if (IsSparse()) {
      if (in_window_) all_->model().NextChunkOfWindow();
      AttendPages();
      return all_->Take(words, learn, {});
    }
    // With a filter, the engine says when bursts begin and end.
    all_->model().NextChunk(origin_.filter.entries == 0);
    segments_.clear();
    segment_start_ = words.data();
    TRY_VOID(all_->Take(words, learn, {}));
    if (!plan_.threads_apart) return {};
    EndSegment(words.data() + words.size());
    for (auto& [thread, taker] : threads_) taker->model().NextChunk(true);
    for (const Segment& segment : segments_) {
      std::unique_ptr<Taker>& taker = threads_[segment.thread];
      if (taker == nullptr) {
        taker = MakeTaker();
        taker->model().NextChunk(true);
      }
      TRY_VOID(taker->Learn(blocks_));
      TRY_VOID(taker->Take(segment.words, [] -> Result<void> { return {}; }, {}));
    }
    return {};
  }

  void TakeCounts(std::vector<tare_wire_counters>&& counts) override {
    engine_counts_ = std::move(counts);
  }

  std::vector<tare_wire_counters> Close(bool cut_short) override {
    if (IsSparse()) {
      all_->model().EndWindow();
      AttendPages();
      // A flow with an error has no counts.
      engine_counts_.resize(std::max(engine_counts_.size(), all_->Counts().size()));
    }
    CollectedFlow flow;
    flow.process = origin_.process;
    flow.generation = origin_.generation;
    flow.cut_short = cut_short;
    if (!last_counts_.empty()) AddVector();
    flow.vectors = std::move(vectors_);
    flow.sampled_lines = all_->model().memory().far().Share();
    flow.parts.push_back(PartOf(*all_, 0, flow));
    for (auto& [thread, taker] : threads_) flow.parts.push_back(PartOf(*taker, thread, flow));
    flows_.push_back(std::move(flow));
    return IsSparse() ? engine_counts_ : all_->Counts();
  }

 private:
  // Words of one thread.
  struct Segment {
    std::uint64_t thread = 0;
    std::span<const std::uint64_t> words;
  };

  std::unique_ptr<Taker> MakeTaker() const {
    return std::make_unique<Taker>(ReuseModel(memory_plan_, plan_.sampling), origin_.architecture,
                                   plan_.engine.region.has_value());
  }

  void OnMark(std::uint64_t mark, std::uint64_t word, const std::uint64_t* at) {
    if (mark == TARE_FLOW_THREAD) {
      EndSegment(at);
      segment_start_ = at + 2;
      thread_ = word;
    } else if (mark == TARE_FLOW_BURST) {
      SetBurst(word == 1);
    } else if (mark == TARE_FLOW_SAMPLE && plan_.vector_instructions != 0 && origin_.is_first) {
      AddVector();
    }
  }

  bool IsSparse() const { return origin_.filter.groups != 0; }

  void SetBurst(bool on) {
    if (!IsSparse()) return all_->model().SetBurst(on);
    on ? all_->model().BeginWindow() : all_->model().EndWindow();
    in_window_ = on;
    AttendPages();
  }

  // Counts the accesses that were made while pages were counted, at the start and end of that time.
  void AttendPages() {
    const bool counts = all_->model().counts_pages();
    if (counts == counts_pages_) return;
    counts_pages_ = counts;
    const auto kinds = all_->Kinds().subspan(1);
    page_records_.resize(kinds.size());
    for (std::size_t i = 0; i < kinds.size(); ++i)
      page_records_[i] += counts ? 0 - kinds[i].records : kinds[i].records;
  }

  // What is seen in windows only, and the whole run: of each block, because windows do not show
  // all blocks equally. The first one is longer than the others.
  struct Scales {
    double pages = 1;
    double branches = 1;
    double targets = 1;
  };
  // `events` have the guarded accesses, which are not those of every record.
  std::vector<Scales> ScalesOf(Taker& taker, const CollectedPart& part,
                               std::span<const ReuseModel::BlockEvents> events) const {
    if (!IsSparse()) {
      const ReuseModel& model = taker.model();
      return std::vector(part.blocks.size(), Scales{model.PageScale(), model.BranchScale(), 1});
    }
    struct Seen {
      std::uint64_t executions = 0;
      std::uint64_t accesses = 0;
    };
    std::vector<Seen> seen(part.blocks.size());
    const auto kinds = taker.Kinds().subspan(1);
    std::uint64_t branches = 0;
    std::uint64_t targets = 0;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      const vpmu::RecordKind& kind = kinds[i];
      Seen& block = seen[kind.block];
      if (i < page_records_.size())
        block.accesses += page_records_[i] * (accesses_[i].loads + accesses_[i].stores);
      if (kind.ending != vpmu::Ending::kOperation) block.executions += kind.records;
      if (kind.ending == vpmu::Ending::kConditional) branches += kind.records;
      if (kind.ending == vpmu::Ending::kIndirectJump ||
          kind.ending == vpmu::Ending::kIndirectCall || kind.ending == vpmu::Ending::kReturn)
        targets += kind.records;
    }
    const auto ratio = [](std::uint64_t all, std::uint64_t of) {
      return of == 0 ? 0 : static_cast<double>(all) / static_cast<double>(of);
    };
    // Branches are not counted in the first chunk of a window.
    const double counted_branches = ratio(branches, taker.model().counted_branches());
    const double counted_targets = ratio(targets, taker.model().counted_targets());
    std::vector<Scales> scales;
    for (std::size_t block = 0; block < seen.size(); ++block) {
      const BlockUse& use = part.blocks[block];
      const double executions = ratio(use.executions, seen[block].executions);
      const std::uint64_t guarded = events[block].loads + events[block].stores;
      const double accesses = seen[block].accesses == 0
                                  ? executions
                                  : ratio(use.loads + use.stores - guarded, seen[block].accesses);
      scales.push_back({accesses, executions * counted_branches, executions * counted_targets});
    }
    return scales;
  }

  void EndSegment(const std::uint64_t* end) {
    if (plan_.threads_apart && end != segment_start_)
      segments_.push_back({thread_, {segment_start_, end}});
  }

  // The executions since the last one.
  void AddVector() {
    const auto counts = all_->Counts();
    last_counts_.resize(counts.size());
    BlockVector vector;
    for (std::size_t block = 0; block < counts.size(); ++block) {
      const std::uint64_t executions = counts[block].executions - last_counts_[block];
      if (executions > 0) vector.blocks.push_back({static_cast<std::uint32_t>(block), executions});
      last_counts_[block] = counts[block].executions;
    }
    if (!vector.blocks.empty()) vectors_.push_back(std::move(vector));
  }

  CollectedPart PartOf(Taker& taker, std::uint64_t thread, CollectedFlow& flow) const {
    CollectedPart part;
    part.thread = thread;
    const auto counts = IsSparse() ? engine_counts_ : taker.Counts();
    auto events = taker.Events();
    events.resize(counts.size());
    part.blocks.resize(counts.size());
    for (std::size_t block = 0; block < counts.size(); ++block) {
      BlockUse& use = part.blocks[block];
      use.executions = counts[block].executions;
      use.second = counts[block].second;
      use.loads = events[block].loads;
      use.stores = events[block].stores;
      use.load_bytes = events[block].load_bytes;
      use.store_bytes = events[block].store_bytes;
    }
    const auto kinds = taker.Kinds().subspan(1);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      BlockUse& use = part.blocks[kinds[i].block];
      std::uint64_t records = kinds[i].records;
      if (IsSparse()) {
        const bool is_operation = kinds[i].ending == vpmu::Ending::kOperation;
        records = is_operation ? use.second : use.executions;
      }
      use.loads += records * accesses_[i].loads;
      use.stores += records * accesses_[i].stores;
      use.load_bytes += records * accesses_[i].load_bytes;
      use.store_bytes += records * accesses_[i].store_bytes;
    }
    const std::vector<Scales> scales = ScalesOf(taker, part, events);
    for (std::size_t block = 0; block < counts.size(); ++block) {
      part.blocks[block].mispredictions = static_cast<std::uint64_t>(std::round(
          static_cast<double>(events[block].conditional_mispredictions) * scales[block].branches +
          static_cast<double>(events[block].target_mispredictions) * scales[block].targets));
    }
    reuse::MemoryUse& memory = taker.model().memory();
    memory.Finish();
    const UseReader reader(memory, plan_.grid);
    for (std::size_t block = 0; block < counts.size(); ++block) {
      reader.Add(ReuseModel::BlockEvents(static_cast<std::uint32_t>(block)).owner,
                 part.blocks[block]);
      reader.Complete(part.blocks[block], scales[block].pages);
    }
    flow.near_exact = reader.near_exact();
    flow.confused_lines = flow.confused_lines || memory.grid().IsConfused();
    return part;
  }

  const CollectPlan& plan_;
  vpmu::FlowOrigin origin_;
  std::vector<CollectedFlow>& flows_;
  reuse::MemoryUsePlan memory_plan_;
  std::unique_ptr<Taker> all_;
  std::map<std::uint64_t, std::unique_ptr<Taker>> threads_;
  std::span<const format::FlowBlock> blocks_;
  std::vector<RecordAccesses> accesses_;  // by record number - 1
  bool in_window_ = false;
  bool counts_pages_ = false;
  std::vector<std::uint64_t> page_records_;        // by kind: while pages were counted
  std::vector<tare_wire_counters> engine_counts_;  // of a sparse flow
  std::uint64_t thread_ = 0;
  const std::uint64_t* segment_start_ = nullptr;
  std::vector<Segment> segments_;  // of the current chunk
  std::vector<std::uint64_t> last_counts_;
  std::vector<BlockVector> vectors_;
};

}  // namespace

tare_flow_filter FilterOf(const CollectPlan& plan) {
  tare_flow_filter filter = {};
  if (plan.threads_apart) return filter;
  const auto log2 = [](std::uint64_t power) {
    return static_cast<std::uint32_t>(std::countr_zero(power));
  };
  filter.line_shift = log2(plan.grid.line_bytes.front());
  filter.index_shift = log2(plan.grid.line_bytes.back());
  filter.entries =
      std::min(reuse::kMaxGroups, plan.grid.min_way_bytes / plan.grid.line_bytes.back());
  filter.page_shift = log2(plan.grid.page_bytes.front());
  filter.page_entries = plan.sampling.page_entries;
  filter.dirty = 1;
  // Vectors and regions need the records of all blocks. There are at most kMaxGroups entries.
  if (plan.vector_instructions == 0 && !plan.engine.region.has_value()) {
    const reuse::MemoryUsePlan memory = MemoryPlanOf(plan.grid, plan.sampling, plan.stride_depth);
    // All lines that matter have to be of covered groups.
    if (memory.far.eligible == reuse::NearLines(memory.shapes, memory.groups)) {
      filter.page_shift = filter.page_entries = 0;
      filter.groups = memory.groups & ((std::uint64_t{1} << filter.entries) - 1);
    }
  }
  return filter;
}

vpmu::MakeFlowSink CollectFlows(const CollectPlan& plan, std::vector<CollectedFlow>& flows) {
  return [&plan,
          &flows](const vpmu::FlowOrigin& origin) -> Result<std::unique_ptr<vpmu::FlowSink>> {
    const tare_flow_filter filter = FilterOf(plan);
    if (origin.filter.entries != 0 && std::memcmp(&origin.filter, &filter, sizeof filter) != 0) {
      return Fail(ErrorKind::kFormat, fmt::format("flow {}.{}: it has another filter",
                                                  origin.process, origin.generation));
    }
    return std::make_unique<FlowCollector>(plan, origin, flows);
  };
}

}  // namespace tare::signature
