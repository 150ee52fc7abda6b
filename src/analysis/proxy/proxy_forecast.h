// proxy_forecast.h: the counts of a program with full function instrumentation, from the program
// without it: its code, its debug information and how often its blocks ran.
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
  // Instrumented over vanilla. The range covers the costs of one call over all shapes of functions
  // that the costs were calibrated with, and what is unsure about inlined calls; it is no
  // confidence interval.
  Ratio ratio;
};

// Calls of one function of the vanilla program that would call the hooks.
struct PredictedFunction {
  std::string function;          // as shown to people
  std::uint64_t entered = 0;     // of its own code
  std::uint64_t inlined = 0;     // of its body in others, as far as debug information tells
  std::uint64_t tail_calls = 0;  // that would become calls and returns
  double instructions = 0;       // that would be added
};

struct Forecast {
  Compiler compiler = Compiler::kGcc;
  std::vector<PredictedMetric> metrics;      // in the order of Predicted
  std::vector<PredictedFunction> functions;  // by added instructions, most first
  std::uint64_t entered = 0;                 // sums of the functions
  std::uint64_t inlined = 0;
  std::uint64_t tail_calls = 0;
  // Without debug information nobody knows which calls were inlined: the forecast is then a lower
  // bound, and the upper ends of its ranges hold for the known calls only.
  bool lower_bound = false;
};

// `run` are counts of the file by an engine that counts every block. The costs are those of the
// compiler that made the file. Errors: kUnsupported when the run has no blocks of the file.
Result<Forecast> Predict(const mix::FileMix& vanilla, const count::Tally& run);

// A forecast beside what was measured.
struct Score {
  Predicted metric = Predicted::kInstructions;
  Ratio predicted;
  double measured = 0;
  double error = 0;     // predicted - measured, of the ratio: 0.05 is five points of a hundred
  bool inside = false;  // the measured one lies in the range
  Standing predicted_standing = Standing::kDoubtful;  // of the value alone
  Standing measured_standing = Standing::kDoubtful;

  bool SameVerdict() const { return predicted_standing == measured_standing; }
};

// `measured` in the order of Predicted; one that is absent, or whose vanilla count is 0, has no
// score.
std::vector<Score> ScoreOf(const Forecast& forecast,
                           const std::array<std::optional<double>, kPredicted>& measured,
                           double tolerance);

}  // namespace tare::proxy
