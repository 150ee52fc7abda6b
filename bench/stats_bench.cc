// stats_bench.cc: compares DTW and rank correlation with textbook code and other libraries.
#include <benchmark/benchmark.h>

#ifdef TARE_HAVE_GSL
#include <gsl/gsl_statistics_double.h>
#endif

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "stats/correlation.h"
#include "stats/dtw.h"
#include "stats/random.h"

namespace tare::stats {
namespace {

std::vector<double> Wave(std::size_t length, double speed, std::uint64_t seed) {
  Generator generator(seed);
  std::vector<double> signal(length);
  for (std::size_t i = 0; i < length; ++i) {
    signal[i] = std::sin(speed * static_cast<double>(i)) + 0.3 * generator.Unit();
  }
  return signal;
}

// The textbook algorithm: row by row, keeping one row.
double RowByRow(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> row(b.size() + 1, kInfinity);
  row[0] = 0;
  for (double sample : a) {
    double diagonal = row[0];
    row[0] = kInfinity;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const double up = row[j];
      row[j] = std::min(std::min(diagonal, up), row[j - 1]) + std::fabs(sample - b[j - 1]);
      diagonal = up;
    }
  }
  return row[b.size()];
}

void CountCells(benchmark::State& state, double cells) {
  state.counters["cells/s"] = benchmark::Counter(
      cells, benchmark::Counter::kIsIterationInvariantRate, benchmark::Counter::kIs1000);
}

double Squared(std::int64_t length) {
  return static_cast<double>(length) * static_cast<double>(length);
}

template <typename Work>
void Warp(benchmark::State& state, double cells, Work work) {
  const auto length = static_cast<std::size_t>(state.range(0));
  const auto a = Wave(length, 0.01, 1);
  const auto b = Wave(length, 0.0102, 2);
  for (auto _ : state) {
    auto result = work(a, b);
    benchmark::DoNotOptimize(result);
  }
  CountCells(state, cells);
}

void DtwRowByRow(benchmark::State& state) { Warp(state, Squared(state.range(0)), RowByRow); }
BENCHMARK(DtwRowByRow)->Arg(3000)->Unit(benchmark::kMillisecond);

void DtwDistanceAlone(benchmark::State& state) {
  Warp(state, Squared(state.range(0)),
       [](const auto& a, const auto& b) { return DtwDistance(a, b); });
}
BENCHMARK(DtwDistanceAlone)->Arg(100)->Arg(3000)->Arg(20000)->Unit(benchmark::kMillisecond);

void DtwDistanceSquared(benchmark::State& state) {
  Warp(state, Squared(state.range(0)),
       [](const auto& a, const auto& b) { return DtwDistance(a, b, {.cost = DtwCost::kSquared}); });
}
BENCHMARK(DtwDistanceSquared)->Arg(3000)->Unit(benchmark::kMillisecond);

void DtwDistanceOfFour(benchmark::State& state) {
  Warp(state, Squared(state.range(0)), [](const auto& a, const auto& b) {
    const std::vector<std::span<const double>> four_a(4, a);
    const std::vector<std::span<const double>> four_b(4, b);
    return DtwDistance(Signals(four_a), Signals(four_b));
  });
}
BENCHMARK(DtwDistanceOfFour)->Arg(3000)->Unit(benchmark::kMillisecond);

void DtwWithPath(benchmark::State& state) {
  Warp(state, Squared(state.range(0)), [](const auto& a, const auto& b) { return DtwAlign(a, b); });
}
BENCHMARK(DtwWithPath)->Arg(100)->Arg(3000)->Arg(20000)->Unit(benchmark::kMillisecond);

void DtwInBandWithPath(benchmark::State& state) {
  const auto band = static_cast<std::size_t>(state.range(1));
  Warp(state, static_cast<double>(state.range(0) * (2 * state.range(1) + 1)),
       [&](const auto& a, const auto& b) { return DtwAlign(a, b, {.band = band}); });
}
BENCHMARK(DtwInBandWithPath)->Args({3000, 300})->Args({3000, 30})->Unit(benchmark::kMillisecond);

template <typename Work>
void Correlate(benchmark::State& state, Work work) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const auto x = Wave(count, 0.01, 1);
  const auto y = Wave(count, 0.0102, 2);
  for (auto _ : state) {
    auto result = work(x, y);
    benchmark::DoNotOptimize(result);
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void SpearmanOurs(benchmark::State& state) {
  Correlate(state, [](const auto& x, const auto& y) { return Spearman(x, y, 0.95); });
}
BENCHMARK(SpearmanOurs)->Arg(1000)->Arg(100'000)->Unit(benchmark::kMillisecond);

#ifdef TARE_HAVE_GSL
void SpearmanGsl(benchmark::State& state) {
  std::vector<double> work(2 * static_cast<std::size_t>(state.range(0)));
  Correlate(state, [&](const auto& x, const auto& y) {
    return gsl_stats_spearman(x.data(), 1, y.data(), 1, x.size(), work.data());
  });
}
BENCHMARK(SpearmanGsl)->Arg(1000)->Arg(100'000)->Unit(benchmark::kMillisecond);
#endif

void KendallOurs(benchmark::State& state) {
  Correlate(state, [](const auto& x, const auto& y) { return Kendall(x, y, 0.95); });
}
BENCHMARK(KendallOurs)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tare::stats
