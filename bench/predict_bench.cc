// predict_bench.cc: benchmarks how many machines per second one signature is predicted for.
#include <benchmark/benchmark.h>

#include <array>

#include "predict/convolve/prediction.h"
#include "stats/random.h"
#include "tests/unit/predict/convolve/example_signature.h"

namespace tare::convolve {
namespace {

// As many blocks as sqlite3 executes, in loops of four, with distances of all sizes.
signature::Signature LargeSignature(std::size_t blocks) {
  const signature::Grid grid;
  stats::Generator random(1);
  std::vector<signature::Block> all;
  std::vector<signature::Loop> loops(blocks / 4);
  for (std::size_t i = 0; i < blocks; ++i) {
    signature::Block block = LoadBlock(1000 + random.Below(100000) / (i + 1), 4);
    std::vector<Reuse> reuses;
    for (unsigned octave = 0; octave < 24; ++octave) {
      reuses.push_back({std::uint64_t{1} << octave, block.loads / (octave + 24ULL)});
    }
    SetReuse(block, grid, reuses);
    block.strides = {block.loads, 0.2, 0.5, 0, 0, 0.1, 0.2};
    block.loop = static_cast<std::uint32_t>(i / 4);
    all.push_back(std::move(block));
  }
  return SignatureOf(std::move(all), std::move(loops));
}

void MachinesOfOneSignature(benchmark::State& state) {
  const auto work = WorkOf(LargeSignature(static_cast<std::size_t>(state.range(0))));
  const auto profile = ExampleMachine();
  const auto base = RatesOf(profile);
  double bytes = 1 << 18;
  double sum = 0;
  for (auto _ : state) {
    auto change = *machine_profile::ParseChange("L2.bytes=1MiB");
    change.value = bytes;
    bytes = bytes < (1 << 26) ? bytes * 2 : 1 << 18;
    const auto rates = ChangedRates(profile, *base, std::array{change}, "changed");
    sum += PredictSeconds(work, *rates);
  }
  benchmark::DoNotOptimize(sum);
  state.counters["loops"] = static_cast<double>(work.loops.size());
  state.counters["machines"] = benchmark::Counter(1, benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(MachinesOfOneSignature)->ArgName("blocks")->Arg(100)->Arg(10000);

void AddUpBlocks(benchmark::State& state) {
  const auto signature = LargeSignature(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(WorkOf(signature));
}
BENCHMARK(AddUpBlocks)->ArgName("blocks")->Arg(10000);

}  // namespace
}  // namespace tare::convolve
