// cache_bench.cc: benchmarks the cost per access of the cache and TLB models.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "model/core/core.h"
#include "stats/random.h"

namespace tare::model {
namespace {

constexpr std::uint64_t kStart = 0x7f0000000000;

Processor Usual(bool translated, Replacement replacement) {
  Processor p;
  p.name = "usual";
  p.l1i = {.bytes = 32 << 10, .ways = 8, .replacement = replacement};
  p.l1d = p.l1i;
  p.l2 = CacheLevel{.bytes = 1 << 20, .ways = 16, .replacement = replacement};
  if (translated) {
    p.small_pages = {.instruction = TlbLevel{.entries = 64, .ways = 64},
                     .data = TlbLevel{.entries = 64, .ways = 64},
                     .second = TlbLevel{.entries = 1024, .ways = 8}};
  }
  return p;
}

// Every third access is a store.
std::vector<DataAccess> Accesses(std::uint64_t bytes, std::uint64_t step, bool scattered) {
  constexpr std::size_t kCount = 1 << 16;
  stats::Generator random(1);
  std::vector<DataAccess> accesses;
  for (std::size_t i = 0; i < kCount; ++i) {
    const std::uint64_t at = scattered ? random.Below(bytes / 8) * 8 : i * step % bytes;
    accesses.push_back({kStart + at, 8, i % 3 == 0, 0x400000});
  }
  return accesses;
}

void Measure(benchmark::State& state, const std::vector<DataAccess>& accesses, bool translated,
             Replacement replacement = Replacement::kLru) {
  auto core = Core::Make(Usual(translated, replacement));
  EventCounts counts;
  for (const DataAccess& access : accesses) core->Access(access, counts);
  for (auto _ : state) {
    for (const DataAccess& access : accesses) core->Access(access, counts);
  }
  benchmark::DoNotOptimize(counts);
  state.counters["access"] = benchmark::Counter(
      static_cast<double>(accesses.size()),
      benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void RepeatedLine(benchmark::State& state) {
  Measure(state, Accesses(64, 8, false), state.range(0) != 0);
}
BENCHMARK(RepeatedLine)->ArgName("tlb")->Arg(0)->Arg(1);

void Walk(benchmark::State& state) {
  Measure(state, Accesses(16 << 10, 8, false), state.range(0) != 0);
}
BENCHMARK(Walk)->ArgName("tlb")->Arg(0)->Arg(1);

// Four pages in turn; the accessed line is always the least recently used of its set.
void FourPages(benchmark::State& state) {
  Measure(state, Accesses(4 * 4160, 4160, false), state.range(0) != 0);
}
BENCHMARK(FourPages)->ArgName("tlb")->Arg(0)->Arg(1);

void FirstLevelHits(benchmark::State& state) {
  Measure(state, Accesses(24 << 10, 8, true), state.range(0) != 0,
          static_cast<Replacement>(state.range(1)));
}
BENCHMARK(FirstLevelHits)->ArgNames({"tlb", "policy"})->ArgsProduct({{0, 1}, {0, 1, 2}});

void SecondLevelHits(benchmark::State& state) {
  Measure(state, Accesses(512 << 10, 8, true), state.range(0) != 0);
}
BENCHMARK(SecondLevelHits)->ArgName("tlb")->Arg(0)->Arg(1);

void Misses(benchmark::State& state) {
  Measure(state, Accesses(1 << 30, 8, true), state.range(0) != 0);
}
BENCHMARK(Misses)->ArgName("tlb")->Arg(0)->Arg(1);

void Code(benchmark::State& state) {
  auto core = Core::Make(Usual(true, Replacement::kLru));
  EventCounts counts;
  const auto lines = static_cast<std::uint64_t>(state.range(0));
  for (auto _ : state) {
    for (std::uint64_t i = 0; i < lines; ++i) core->Fetch(kStart + i * 64, 4, counts);
  }
  state.counters["line"] =
      benchmark::Counter(static_cast<double>(lines), benchmark::Counter::kIsIterationInvariantRate |
                                                         benchmark::Counter::kInvert);
}
BENCHMARK(Code)->ArgName("lines")->Arg(16)->Arg(400)->Arg(4000);

}  // namespace
}  // namespace tare::model
