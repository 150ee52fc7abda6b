// replay_bench.cc: benchmarks replays: events per second, and memory for a million ranks.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <filesystem>

#include "predict/replay/replay.h"
#include "tests/unit/predict/replay/example_network.h"

namespace tare::replay {
namespace {

// Steps of a stencil in one dimension: computation, exchange with both neighbors, a reduction.
MessageProgram Stencil(std::int32_t ranks, int steps, bool reduces) {
  MessageProgram program;
  program.ranks.resize(static_cast<std::size_t>(ranks));
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    RankBuilder builder(program, rank);
    const std::int32_t left = (rank + ranks - 1) % ranks;
    const std::int32_t right = (rank + 1) % ranks;
    for (int step = 0; step < steps; ++step) {
      builder.Compute(100e-6 + 1e-6 * ((rank * 7 + step) % 13));
      const auto a = builder.StartReceive(left);
      const auto b = builder.StartReceive(right);
      const auto c = builder.StartSend(right, 8192);
      const auto d = builder.StartSend(left, 8192);
      for (const auto request : {a, b, c, d}) builder.Wait(request);
      if (reduces) builder.AddCollective(Collective::kAllreduce, 8, 0, 0, step);
    }
    program.ranks[static_cast<std::size_t>(rank)].shrink_to_fit();
  }
  return program;
}

void Events(benchmark::State& state, Engine engine, bool with_path) {
  const std::filesystem::path module = TARE_BINARY_DIR "/engines/tare-simgrid.so";
  if (engine == Engine::kSimGrid && !std::filesystem::exists(module)) {
    state.SkipWithError("there is no module tare-simgrid.so");
    return;
  }
  const auto program =
      Stencil(static_cast<std::int32_t>(state.range(0)), static_cast<int>(state.range(1)), true);
  const Network network = RoundNetwork();
  std::uint64_t events = 0;
  for (auto _ : state) {
    const auto result =
        Replay(program, network, {.engine = engine, .with_path = with_path, .simgrid = module});
    if (result) events += result->events;
  }
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK_CAPTURE(Events, loggp, Engine::kLogGp, false)
    ->ArgNames({"ranks", "steps"})
    ->Args({64, 1000})
    ->Args({1024, 100})
    ->Args({16384, 10});
BENCHMARK_CAPTURE(Events, loggp_with_path, Engine::kLogGp, true)
    ->ArgNames({"ranks", "steps"})
    ->Args({64, 1000});
BENCHMARK_CAPTURE(Events, simgrid, Engine::kSimGrid, false)
    ->ArgNames({"ranks", "steps"})
    ->Args({64, 20});

void MillionRanks(benchmark::State& state) {
  std::uint64_t events = 0;
  for (auto _ : state) {
    const auto program = Stencil(1 << 20, static_cast<int>(state.range(0)), false);
    const auto result = Replay(program, RoundNetwork(), {});
    if (result) events += result->events;
  }
  rusage use = {};
  getrusage(RUSAGE_SELF, &use);
  state.counters["max_GiB"] = static_cast<double>(use.ru_maxrss) / (1 << 20);
  state.counters["events"] =
      benchmark::Counter(static_cast<double>(events), benchmark::Counter::kIsRate);
}
BENCHMARK(MillionRanks)->ArgName("steps")->Arg(11)->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
}  // namespace tare::replay
