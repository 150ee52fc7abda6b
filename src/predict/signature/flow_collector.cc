// flow_collector.cc: feeds flows to the models of memory use, whole and by thread.
#include "predict/signature/flow_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
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
    if (origin.filter.entries != 0) all_->AcceptDropped();
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
    // With a filter, the engine decides and says so.
    if (origin_.filter.entries == 0) {
      burst_ = chunks_ % plan_.sampling.burst_period < plan_.sampling.burst_chunks;
      SetBurst(*all_, burst_);
      ++chunks_;
    }
    segments_.clear();
    segment_start_ = words.data();
    TRY_VOID(all_->Take(words, learn, {}));
    if (!plan_.threads_apart) return {};
    EndSegment(words.data() + words.size());
    for (const Segment& segment : segments_) {
      std::unique_ptr<Taker>& taker = threads_[segment.thread];
      if (taker == nullptr) taker = MakeTaker();
      SetBurst(*taker, burst_);
      TRY_VOID(taker->Learn(blocks_));
      TRY_VOID(taker->Take(segment.words, [] -> Result<void> { return {}; }, {}));
    }
    return {};
  }

  std::vector<tare_wire_counters> Close(bool cut_short) override {
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
    return all_->Counts();
  }

 private:
  // Words of one thread.
  struct Segment {
    std::uint64_t thread = 0;
    std::span<const std::uint64_t> words;
  };

  std::unique_ptr<Taker> MakeTaker() const {
    return std::make_unique<Taker>(ReuseModel(memory_plan_), origin_.architecture,
                                   plan_.engine.region.has_value());
  }

  static void SetBurst(Taker& taker, bool burst) {
    if (burst) {
      taker.model().memory().StartBurst();
    } else {
      taker.model().memory().EndBurst();
    }
  }

  void OnMark(std::uint64_t mark, std::uint64_t word, const std::uint64_t* at) {
    if (mark == TARE_FLOW_THREAD) {
      EndSegment(at);
      segment_start_ = at + 2;
      thread_ = word;
    } else if (mark == TARE_FLOW_BURST) {
      SetBurst(*all_, word == 1);
    } else if (mark == TARE_FLOW_SAMPLE && plan_.vector_instructions != 0 && origin_.is_first) {
      AddVector();
    }
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
    const auto counts = taker.Counts();
    const auto events = taker.Events();
    part.blocks.resize(counts.size());
    for (std::size_t block = 0; block < counts.size(); ++block) {
      BlockUse& use = part.blocks[block];
      use.executions = counts[block].executions;
      use.second = counts[block].second;
      use.mispredictions = events[block].mispredictions;
      use.loads = events[block].loads;
      use.stores = events[block].stores;
      use.load_bytes = events[block].load_bytes;
      use.store_bytes = events[block].store_bytes;
    }
    const auto kinds = taker.Kinds().subspan(1);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      BlockUse& use = part.blocks[kinds[i].block];
      use.loads += kinds[i].records * accesses_[i].loads;
      use.stores += kinds[i].records * accesses_[i].stores;
      use.load_bytes += kinds[i].records * accesses_[i].load_bytes;
      use.store_bytes += kinds[i].records * accesses_[i].store_bytes;
    }
    reuse::MemoryUse& memory = taker.model().memory();
    memory.Finish();
    const UseReader reader(memory, plan_.grid);
    for (std::size_t block = 0; block < counts.size(); ++block) {
      reader.Add(ReuseModel::BlockEvents(static_cast<std::uint32_t>(block)).owner,
                 part.blocks[block]);
      reader.Complete(part.blocks[block]);
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
  std::uint64_t chunks_ = 0;
  bool burst_ = false;
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
