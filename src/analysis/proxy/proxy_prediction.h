// proxy_prediction.h: predicts the counts of a program with full function instrumentation from the
// program without it: its code, its debug information and its block counts. See
// docs/methods/proxies.md.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/proxy/hook_cost.h"
#include "analysis/proxy/ratio_verdict.h"
#include "base/result.h"
#include "binary/mix/file_mix.h"
#include "measure/count/tally.h"

namespace tare::proxy {

enum class Predicted : std::uint8_t { kInstructions, kLoads, kStores, kConditionalBranches };
inline constexpr std::size_t kPredicted = 4;
// As in table `ratios`: "instructions", "loads", "stores", "conditional-branches".
std::string_view Name(Predicted metric);

struct PredictedMetric {
  Predicted metric = Predicted::kInstructions;
  std::uint64_t vanilla = 0;  // counted
  // Instrumented over vanilla. The range covers the costs of a call over all calibrated shapes of
  // functions and the uncertainty about inlined calls; it is not a confidence interval.
  Measured ratio;
};

// Calls of one function of the vanilla program that would call the hooks.
struct PredictedFunction {
  std::string function;          // display name
  std::uint64_t entered = 0;     // calls of its own code
  std::uint64_t inlined = 0;     // executions of inlined copies, from debug information
  std::uint64_t tail_calls = 0;  // that would become calls and returns
  double instructions = 0;       // that would be added
};

struct Prediction {
  Compiler compiler = Compiler::kGcc;
  std::vector<PredictedMetric> metrics;      // in the order of Predicted
  std::vector<PredictedFunction> functions;  // by added instructions, largest first
  std::uint64_t entered = 0;                 // sums over the functions
  std::uint64_t inlined = 0;
  std::uint64_t tail_calls = 0;
  // Without debug information inlined calls are unknown. The prediction is then a lower bound, and
  // the upper ends of its ranges apply to the known calls only.
  bool lower_bound = false;
};

// `run` are counts of the file by an engine that counts every block. Uses the costs of the compiler
// that built the file. kUnsupported if the run has no blocks of the file.
Result<Prediction> Predict(const mix::FileMix& vanilla, const count::Tally& run);

// A prediction and the measured value.
struct Score {
  Predicted metric = Predicted::kInstructions;
  Measured predicted;
  double measured = 0;
  double error = 0;     // predicted - measured ratio: 0.05 is five percentage points
  bool inside = false;  // the measured ratio is in the range
  Verdict predicted_verdict = Verdict::kDoubtful;  // of the value alone
  Verdict measured_verdict = Verdict::kDoubtful;

  bool SameVerdict() const { return predicted_verdict == measured_verdict; }
};

// `measured` is in the order of Predicted. An absent value, or one whose vanilla count is 0, has no
// score.
std::vector<Score> ScoreOf(const Prediction& prediction,
                           const std::array<std::optional<double>, kPredicted>& measured,
                           double tolerance);

}  // namespace tare::proxy
