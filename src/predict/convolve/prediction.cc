// prediction.cc: adds up the times of loops, and how far they may be off.
#include "predict/convolve/prediction.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/printable.h"

namespace tare::convolve {
namespace {

double Total(const SignatureWork& work, std::span<const LoopUse> uses, const Costs& costs,
             Model model) {
  double seconds = 0;
  for (std::size_t i = 0; i < work.loops.size(); ++i) {
    seconds += TimeOf(work.loops[i], uses[i], costs, model).total;
  }
  return seconds;
}

// The square root of the sum of squares: the parts are independent of each other.
double Joined(std::span<const BudgetRow> budget) {
  double squares = 0;
  for (const BudgetRow& row : budget) squares += row.seconds * row.seconds;
  return std::sqrt(squares);
}

void AddVerdict(const SignatureWork& work, const MachineRates& rates, Prediction& prediction) {
  prediction.caveats = work.caveats;
  prediction.caveats.insert(prediction.caveats.end(), rates.caveats.begin(), rates.caveats.end());
  // Textbook machines have no instruction set.
  if (rates.architecture != "none" && work.architecture != rates.architecture) {
    prediction.caveats.push_back(
        {CaveatId::kOtherInstructionSet,
         fmt::format("signature of {}, machine {} of {}", work.architecture, rates.name,
                     rates.architecture.empty() ? "an unknown one" : rates.architecture)});
  }
  for (const Caveat& caveat : prediction.caveats) {
    const CaveatRow& row = Row(caveat.key);
    if (row.verdict == Verdict::kValid) continue;
    if (Worse(prediction.time.verdict, row.verdict) == prediction.time.verdict) continue;
    prediction.time.verdict = row.verdict;
    prediction.time.reason = row.message;
  }
}

}  // namespace

double PredictSeconds(const SignatureWork& work, const MachineRates& rates) {
  const auto uses = UsesOf(work, rates);
  return Total(work, uses, rates.costs, Model::kOverlap);
}

Prediction Predict(const SignatureWork& work, const MachineRates& rates) {
  const auto uses = UsesOf(work, rates);
  Prediction prediction;
  prediction.machine = rates.name;
  prediction.origin = rates.origin;
  prediction.level_names = rates.level_names;
  double seconds = 0;
  for (std::size_t i = 0; i < work.loops.size(); ++i) {
    prediction.loops.push_back(TimeOf(work.loops[i], uses[i], rates.costs, Model::kOverlap));
    seconds += prediction.loops.back().total;
  }
  prediction.sum = Total(work, uses, rates.costs, Model::kSum);
  prediction.max = Total(work, uses, rates.costs, Model::kMax);
  const auto half = [](double a, double b) { return std::abs(a - b) / 2; };
  for (const RateSpread& spread : rates.spreads) {
    const double width = half(Total(work, uses, spread.fast, Model::kOverlap),
                              Total(work, uses, spread.slow, Model::kOverlap));
    if (width > 0) prediction.budget.push_back({fmt::format("rates: {}", spread.what), width});
  }
  const auto few = UsesOf(work, rates, HitRates::kFewMisses);
  const auto many = UsesOf(work, rates, HitRates::kManyMisses);
  prediction.budget.push_back({"hit rates", half(Total(work, few, rates.costs, Model::kOverlap),
                                                 Total(work, many, rates.costs, Model::kOverlap))});
  prediction.budget.push_back({"models", half(prediction.max, prediction.sum)});
  std::ranges::stable_sort(prediction.budget, std::greater(), &BudgetRow::seconds);
  const double width = Joined(prediction.budget);
  prediction.time = Unbounded(seconds);
  prediction.time.unit = "s";
  prediction.time.low = std::max(0.0, seconds - width);
  prediction.time.high = seconds + width;
  AddVerdict(work, rates, prediction);
  return prediction;
}

}  // namespace tare::convolve
