// consumer.cc: feeds flows to the models of a processor.
#include "model/vpmu/consumer.h"

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <iterator>
#include <memory>
#include <utility>

#include "model/core/core.h"
#include "model/vpmu/exact_filter.h"
#include "model/vpmu/flow_rotation.h"
#include "model/vpmu/flow_taker.h"

namespace tare::vpmu {
namespace {

bool Equal(const tare_flow_filter& a, const tare_flow_filter& b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// Each process has its own core.
class CoreSink : public FlowSink {
 public:
  CoreSink(model::Core core, const ConsumerPlan& plan, const FlowOrigin& origin,
           ProcessEvents& events)
      : taker_(std::move(core), origin.architecture, plan.of_region), events_(events) {
    events_.process = origin.process;
    events_.generation = origin.generation;
    if (origin.filter.entries != 0) taker_.AcceptDropped();
    if (!origin.is_first || !plan.on_sample) return;
    taker_.EnableTotals();
    on_sample_ = [report = plan.on_sample, process = origin.process](SampledTotals totals) {
      totals.process = process;
      report(totals);
    };
  }

  Result<void> Learn(std::span<const format::FlowBlock> blocks) override {
    return taker_.Learn(blocks);
  }
  Result<void> Take(std::span<const std::uint64_t> words,
                    const std::function<Result<void>()>& learn) override {
    return taker_.Take(words, learn, on_sample_);
  }
  std::vector<tare_wire_counters> Close(bool cut_short) override {
    events_.cut_short = cut_short;
    events_.blocks = taker_.Events();
    if (on_sample_) {
      SampledTotals totals = taker_.EndTotals();
      totals.last = true;
      on_sample_(totals);
    }
    return taker_.Counts();
  }

 private:
  FlowTaker<model::Core> taker_;
  std::function<void(const SampledTotals&)> on_sample_;
  ProcessEvents& events_;
};

}  // namespace

Result<std::vector<ProcessEvents>> Consume(const ConsumerPlan& plan,
                                           const std::atomic<bool>& ended) {
  // Reports an invalid description before waiting for the program.
  TRY_VOID(model::Core::Make(plan.processor));
  std::deque<ProcessEvents> events;  // elements do not move
  const auto make = [&](const FlowOrigin& origin) -> Result<std::unique_ptr<FlowSink>> {
    TRY(auto core, model::Core::Make(plan.processor));
    if (origin.filter.entries != 0 && !Equal(origin.filter, ExactFilter(plan.processor))) {
      return Fail(ErrorKind::kFormat,
                  fmt::format("flow {}.{}: its filter is not that of the processor", origin.process,
                              origin.generation));
    }
    return std::make_unique<CoreSink>(std::move(core), plan, origin, events.emplace_back());
  };
  TRY_VOID(ReadFlows(plan.directory, make, ended));
  return std::vector(std::make_move_iterator(events.begin()),
                     std::make_move_iterator(events.end()));
}

}  // namespace tare::vpmu
