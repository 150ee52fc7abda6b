// perturb_bench.cc: benchmarks of trace comparison: correlations within many traces, alignments of
// all pairs, and one pair of very long traces.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cmath>
#include <string>

#include "analysis/perturb/baseline.h"
#include "analysis/perturb/outer_correlation.h"
#include "stats/random.h"

namespace tare::perturb {
namespace {

// Synthetic traces of noisy phases; no two are equal.
std::vector<TraceSignals> Runs(std::size_t count, std::size_t records, std::size_t metrics) {
  stats::Generator random(1);
  std::vector<TraceSignals> runs(count);
  for (TraceSignals& run : runs) {
    run.name = "run";
    run.program = "./program";
    run.clock = "ns";
    for (std::size_t metric = 0; metric < metrics; ++metric) {
      Signal signal{"m" + std::to_string(metric), "hardware", {}};
      for (std::size_t i = 0; i < records; ++i) {
        const auto at = static_cast<double>(i);
        signal.values.push_back(std::sin(at / 40) + std::cos(at / 333) + random.Unit());
      }
      run.signals.push_back(std::move(signal));
    }
  }
  return runs;
}

void InnerOf700Traces(benchmark::State& state) {
  const auto runs = Runs(700, 3000, 6);
  for (auto _ : state) benchmark::DoNotOptimize(MakeBaseline(runs, {}));
}
BENCHMARK(InnerOf700Traces)->Unit(benchmark::kSecond);

void AllPairsOf26Traces(benchmark::State& state) {
  const auto baseline = MakeBaseline(Runs(26, 3000, 6), {});
  for (auto _ : state) benchmark::DoNotOptimize(MakeOuterBaseline(*baseline, {}));
}
BENCHMARK(AllPairsOf26Traces)->Unit(benchmark::kSecond)->UseRealTime();

// One core, with the warping path, as a DTW library computes it.
void APairOf3000Records(benchmark::State& state) {
  const auto baseline = MakeBaseline(Runs(3, 3000, 6), {});
  for (auto _ : state) {
    benchmark::DoNotOptimize(Align(*baseline, baseline->runs[0], baseline->runs[1], {}));
  }
}
BENCHMARK(APairOf3000Records)->Unit(benchmark::kMillisecond);

// Also reports the process's peak memory, so it must run last.
void APairOfAMillionRecords(benchmark::State& state) {
  const auto baseline = MakeBaseline(Runs(3, 1'000'000, 2), {});
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        Align(*baseline, baseline->runs[0], baseline->runs[1], {.band = 0.001}));
  }
  rusage use{};
  getrusage(RUSAGE_SELF, &use);
  state.counters["MiB"] = static_cast<double>(use.ru_maxrss) / 1024;
}
BENCHMARK(APairOfAMillionRecords)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace tare::perturb
