// mix_change.h: what instrumentation changed in the static instruction mix of a program.
#pragma once

#include "binary/mix/file_mix.h"
#include "binary/mix/weights.h"
#include "measure/count/tally.h"

namespace tare::proxy {

struct MixChange {
  mix::Counts vanilla = {};  // of the whole files, by category
  mix::Counts instrumented = {};
  // The same, each function as often as it ran in the mean of its vanilla instructions.
  mix::WeightedCounts vanilla_weighted = {};
  mix::WeightedCounts instrumented_weighted = {};
};

// `vanilla_run` are counts of the vanilla file with its blocks.
MixChange ChangeOfMix(const mix::FileMix& vanilla, const count::Tally& vanilla_run,
                      const mix::FileMix& instrumented);

}  // namespace tare::proxy
