// mix_change.cc: joins the blocks of a run with the mixes of two files.
#include "analysis/proxy/mix_change.h"

#include <map>
#include <string>

#include "analysis/proxy/executed_code.h"
#include "base/printable.h"

namespace tare::proxy {
namespace {

// Only blocks of the file itself; mix::Weigh knows files by their last name.
mix::Weights WeightsOf(const mix::FileMix& file, const count::Tally& run) {
  const std::string own = Printable(file.path.filename().string());
  std::map<std::string, bool> is_own;
  mix::Weights weights;
  for (const count::BlockTally& block : run.blocks) {
    const auto [object, is_new] = is_own.try_emplace(block.object, false);
    if (is_new) object->second = IsSameFile(block.object, file.path.string());
    if (!object->second) continue;
    weights.blocks.push_back({own, block.offset, static_cast<double>(block.instructions),
                              static_cast<double>(block.executions)});
  }
  return weights;
}

}  // namespace

MixChange ChangeOfMix(const mix::FileMix& vanilla, const count::Tally& vanilla_run,
                      const mix::FileMix& instrumented) {
  MixChange change;
  change.vanilla = vanilla.code->total().categories;
  change.instrumented = instrumented.code->total().categories;
  const mix::WeightedMix weighted = mix::Weigh(vanilla, WeightsOf(vanilla, vanilla_run));
  // Both by the mean of each function, so that a function that did not change has the ratio 1.
  change.vanilla_weighted = mix::WeighLike(vanilla, weighted).counts;
  change.instrumented_weighted = mix::WeighLike(instrumented, weighted).counts;
  return change;
}

}  // namespace tare::proxy
