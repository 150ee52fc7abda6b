// replay_processor.h: how much faster another machine's processor is, for the program and for
// single bursts.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "cli/commands/replay/replay_input.h"
#include "format/mpi_trace.h"
#include "predict/convolve/machine_rates.h"
#include "predict/replay/burst_factors.h"
#include "predict/signature/signature.h"

namespace tare::cli {

// The machines of --machine and --recorded-on, and what the signature predicts for them.
struct PredictedProcessor {
  signature::Signature signature;
  convolve::MachineRates recorded;
  convolve::MachineRates target;
  double ratio = 1;  // of the whole program
};

// Nothing without --machine.
Result<std::optional<PredictedProcessor>> PredictProcessor(const ReplayFlags& flags);

// The factors of bursts whose counters are in the trace; none where it has no counters. Says in
// `caveats` why counters cannot be used.
replay::BurstFactors BurstFactorsOf(const PredictedProcessor& processor,
                                    const format::MpiTrace& trace, std::vector<Caveat>& caveats);

}  // namespace tare::cli
