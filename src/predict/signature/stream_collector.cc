// stream_collector.cc: feeds streams to the models of memory use, and finds the blocks of
// stretches.
#include "predict/signature/stream_collector.h"

#include <fmt/format.h>

#include "measure/engine/blocks_by_address.h"
#include "predict/signature/block_use.h"

namespace tare::signature {
Result<std::vector<StreamUse>> CollectStreams(const CollectPlan& plan,
                                              const std::filesystem::path& directory,
                                              const std::atomic<bool>& ended) {
  const auto memory_plan = MemoryPlanOf(plan.grid, plan.sampling, plan.stride_depth);
  vpmu::StreamConsumer<ReuseModel> consumer(
      directory, plan.grid.line_bytes.front(),
      [&]() -> Result<ReuseModel> { return ReuseModel(memory_plan, plan.sampling); });
  TRY(auto streams, consumer.Consume(ended));
  for (StreamUse& stream : streams) stream.model.memory().Finish();
  return streams;
}

CollectedPart JoinStream(const StreamUse& stream, const Grid& grid, format::Recording& recording,
                         std::vector<Caveat>& caveats) {
  engine::NumberBlocks(recording);
  CollectedPart part;
  part.has_mispredictions = false;
  part.blocks.resize(recording.blocks.size());
  for (const format::Block& block : recording.blocks) {
    part.blocks[block.number].executions = block.executions;
    part.blocks[block.number].second = block.second;
  }
  const engine::BlocksByAddress blocks(recording);
  const UseReader reader(stream.model.memory(), grid);
  std::uint64_t lost = 0;
  for (const auto& place : stream.places) {
    const ReuseModel::BlockEvents& events = place.events;
    if (events.loads + events.stores == 0) continue;
    const format::Block* const block = blocks.At(place.address);
    if (block == nullptr) {
      lost += events.loads + events.stores;
      continue;
    }
    BlockUse& use = part.blocks[block->number];
    use.loads += events.loads;
    use.stores += events.stores;
    use.load_bytes += events.load_bytes;
    use.store_bytes += events.store_bytes;
    reader.Add(events.owner, use);
  }
  for (BlockUse& use : part.blocks) reader.Complete(use, stream.model.PageScale());
  if (lost > 0) {
    caveats.push_back({CaveatId::kIncomplete,
                       fmt::format("process {}: {} of {} accesses belong to no counted block",
                                   stream.process, lost, stream.loads + stream.stores)});
  }
  if (stream.order_varies) {
    caveats.push_back(
        {CaveatId::kNotRepeatable,
         fmt::format("process {}: the accesses of several threads or modules were taken in order "
                     "of arrival, which varies between runs",
                     stream.process)});
  }
  return part;
}

}  // namespace tare::signature
