// predict_tables.h: tables, plots and sentences of a prediction.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "machine/profile/machine_profile.h"
#include "machine/profile/whatif.h"
#include "predict/convolve/pmac.h"
#include "predict/convolve/prediction.h"
#include "predict/signature/signature.h"
#include "report/document.h"

namespace tare::cli {

// Everything that is known about one machine of the command line.
struct MachinePrediction {
  machine_profile::Profile profile;
  convolve::MachineRates rates;
  convolve::Prediction prediction;
  Result<convolve::PmacResult> pmac;  // the curves may not suffice
};

// The time, its interval and what bounds most of it; for several machines, which is fastest.
std::string AnswerText(const signature::Signature& signature, const convolve::SignatureWork& work,
                       std::span<const MachinePrediction> machines);

report::Table PredictionTable(std::span<const MachinePrediction> machines, bool all_models);
report::Table BudgetTable(std::span<const MachinePrediction> machines);
// Shares of time by what bounds the loops, most first.
report::Table BoundTable(const MachinePrediction& machine);
// `top` 0: all. `parts`: also columns for the parts of the time.
report::Table LoopTable(const convolve::SignatureWork& work, const MachinePrediction& machine,
                        std::size_t top, bool parts);
// Table 2 of Carrington et al. (2002): where blocks are on the machine's curves, by share. Empty if
// the curves do not suffice. `top` 0: all.
report::Table PlacedBlockTable(const signature::Signature& signature,
                               const MachinePrediction& machine, std::size_t top);
// Their figure 3: blocks at their working sets and rates, on the machine's curves.
report::Series BlockPlot(const MachinePrediction& machine);
// The time on each machine as a dot.
report::Bars PredictionDots(std::span<const MachinePrediction> machines);

// What the arithmetic mean of equation 1 costs, and the ratios between machines.
std::string PmacText(std::span<const MachinePrediction> machines);

// Where the signature and the profiles come from, into the settings of the provenance.
void AddInputs(const signature::Signature& signature, std::span<const MachinePrediction> machines,
               report::Document& document);

}  // namespace tare::cli
