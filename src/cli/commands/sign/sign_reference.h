// sign_reference.h: the native runs of `tare sign`, whose output and exit status the user gets.
#pragma once

#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "measure/engine/engine_run.h"
#include "measure/run/reference.h"

namespace tare::cli {

struct SignReference {
  run::Reference native;
  std::vector<run::OutputDigest> outputs;  // of the native runs whose output is not passed on
};

Result<SignReference> RunNatively(const engine::EnginePlan& plan);

// How the run under the engine differs from the native ones.
Result<std::vector<Caveat>> CompareWithNative(const SignReference& reference,
                                              const engine::EnginePlan& plan,
                                              const run::Finished& under_engine);

}  // namespace tare::cli
