// prediction.h: the time of a program on a machine, from its signature and the machine's rates.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/caveat.h"
#include "base/measured.h"
#include "predict/convolve/loop_time.h"
#include "predict/convolve/loop_work.h"
#include "predict/convolve/machine_rates.h"

namespace tare::convolve {

// A part of the uncertainty of a prediction: half the width of the interval that it alone causes.
struct BudgetRow {
  std::string what;  // "rates of memory", "hit rates", "models"
  double seconds = 0;
};

struct Prediction {
  std::string machine;
  machine_profile::Origin origin = machine_profile::Origin::kMeasured;
  // The overlap model, in seconds. The interval joins the budget; it is not a confidence interval.
  Measured time;
  double sum = 0;  // the same without any overlap
  double max = 0;  // the same with complete overlap
  std::vector<BudgetRow> budget;
  std::vector<LoopTime> loops;  // in the order of the work
  std::vector<std::string> level_names;
  std::vector<Caveat> caveats;
};

Prediction Predict(const SignatureWork& work, const MachineRates& rates);

// The time of the overlap model alone, for many machines.
double PredictSeconds(const SignatureWork& work, const MachineRates& rates);

}  // namespace tare::convolve
