// operations.cc: measuring every operation of the processor, in rounds.
#include "machine/survey/operations.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/stop.h"
#include "machine/microbenchmark/operation.h"
#include "machine/survey/timing.h"
#include "stats/random.h"

namespace tare::survey {
namespace {

using microbenchmark::Form;
using microbenchmark::Operation;

constexpr SliceConfig kOperationSlices = {3e-4, 5};
// More branches than any predictor remembers.
constexpr std::size_t kBranches = 1 << 16;
constexpr std::string_view kRandomBranches = "branches random";
constexpr std::string_view kRegularBranches = "branches regular";
constexpr std::string_view kClockChain = "integer add latency";

std::string KeyOf(const Operation& operation) {
  return fmt::format("{}{}", operation.name, operation.form == Form::kLatency ? " latency" : "");
}

std::vector<std::uint8_t> Directions(stats::Generator* generator) {
  std::vector<std::uint8_t> directions(kBranches);
  for (std::size_t i = 0; i < kBranches; ++i) {
    directions[i] = static_cast<std::uint8_t>(generator ? generator->Below(2) : i & 1);
  }
  return directions;
}

void AddSample(Samples& samples, const Loop& loop) {
  const double guess = samples.values.empty() ? 0 : samples.values.back();
  samples.values.push_back(SampleRate(loop, kOperationSlices, guess));
}

Loop BranchLoop(const std::vector<std::uint8_t>& directions) {
  return [&directions](std::uint64_t count) {
    microbenchmark::RunBranches(directions, count);
    return count;
  };
}

Loop OperationLoop(const Operation& operation) {
  return [&operation](std::uint64_t count) {
    const std::uint64_t iterations = count / operation.per_iteration + 1;
    operation.run(iterations);
    return iterations * operation.per_iteration;
  };
}

// Half of the random branches are mispredicted, and hardly any of the regular ones. Samples of the
// same round are paired.
std::optional<machine_profile::Rate> Misprediction(const std::map<std::string, Samples>& named) {
  const auto random = named.find(std::string(kRandomBranches));
  const auto regular = named.find(std::string(kRegularBranches));
  if (random == named.end() || regular == named.end()) return std::nullopt;
  Samples cost;
  const std::size_t rounds = std::min(random->second.values.size(), regular->second.values.size());
  for (std::size_t i = 0; i < rounds; ++i) {
    const double seconds = (1 / random->second.values[i] - 1 / regular->second.values[i]) / 0.5;
    if (seconds > 0) cost.values.push_back(seconds);
  }
  if (cost.values.empty()) return std::nullopt;
  return machine_profile::Rate{
      "branch misprediction", "s", FigureOf(cost),
      "additional time of branches with random directions over regular ones, divided "
      "by the half of them that is mispredicted"};
}

}  // namespace

Result<void> MeasureOperations(std::size_t rounds, std::uint64_t seed,
                               std::map<std::string, Samples>& named, const Progress& progress) {
  const auto operations = microbenchmark::Operations();
  stats::Generator generator(seed);
  const auto random = Directions(&generator);
  const auto regular = Directions(nullptr);
  for (std::size_t round = 0; round < rounds; ++round) {
    if (!progress(static_cast<double>(round) / static_cast<double>(rounds), "operations")) {
      return Stopped();
    }
    const auto sample = [&](const std::string& key, const Loop& loop) {
      Samples& samples = named[key];
      if (samples.values.size() < rounds) AddSample(samples, loop);
    };
    for (const Operation& operation : operations) {
      sample(KeyOf(operation), OperationLoop(operation));
    }
    sample(std::string(kRandomBranches), BranchLoop(random));
    sample(std::string(kRegularBranches), BranchLoop(regular));
  }
  return {};
}

std::vector<machine_profile::Rate> OperationRates(const std::map<std::string, Samples>& named) {
  std::vector<machine_profile::Rate> rates;
  for (const Operation& operation : microbenchmark::Operations()) {
    const auto found = named.find(KeyOf(operation));
    if (found == named.end()) continue;
    const Measured figure = FigureOf(found->second);
    if (operation.form == Form::kThroughput) {
      rates.push_back(
          {KeyOf(operation), fmt::format("{}/s", operation.unit), figure,
           fmt::format("independent operations, {} per loop iteration", operation.per_iteration)});
    } else {
      rates.push_back({KeyOf(operation), "s", Inverse(figure),
                       "each operation needs the result of the previous one"});
    }
  }
  if (const auto chain = named.find(std::string(kClockChain)); chain != named.end()) {
    rates.push_back({"clock", "Hz", FigureOf(chain->second),
                     "assumes that a dependent integer addition takes one cycle"});
  }
  if (const auto cost = Misprediction(named)) rates.push_back(*cost);
  return rates;
}

}  // namespace tare::survey
