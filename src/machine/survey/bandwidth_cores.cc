// bandwidth_cores.cc: memory bandwidth of several cores, and latency while they load.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>

#include "base/check.h"
#include "base/stop.h"
#include "machine/microbenchmark/memory_loop.h"
#include "machine/microbenchmark/ring.h"
#include "machine/microbenchmark/streams.h"
#include "machine/survey/bandwidth.h"
#include "machine/survey/crew.h"
#include "machine/survey/stream_arrays.h"
#include "machine/survey/timing.h"

namespace tare::survey {
namespace {

using machine_profile::Access;
using machine_profile::CurveKey;
using machine_profile::Pattern;
using microbenchmark::Buffer;
using microbenchmark::MemoryLoop;

// How long all cores work at once per sample.
constexpr double kTogetherSeconds = 0.03;
// The load levels: pauses in seconds after each 16 KiB; -1 means that the cores only wait.
constexpr std::array<double, 7> kPauses = {-1, 64e-6, 16e-6, 6e-6, 2e-6, 0.6e-6, 0};
constexpr std::uint64_t kBurstBytes = 16384;

constexpr std::array<std::string_view, 4> kStreamNames = {"load", "store", "copy", "triad"};

std::string CoresKey(std::string_view stream, std::size_t cores) {
  return fmt::format("{} by {} cores", stream, cores);
}

std::string LoadedKey(std::size_t pace, std::string_view what) {
  return fmt::format("loaded latency, pace {}, {}", pace, what);
}

constexpr std::uint64_t kMinPerCore = 16 << 20;

// The bytes per core: in total as many as for one core, far more than the shared caches.
std::uint64_t BytesPerCore(const BandwidthConfig& config, std::size_t cores) {
  const std::uint64_t wanted = std::max(config.max_bytes / cores, kMinPerCore);
  return std::min({wanted, config.max_bytes, config.memory_bytes / cores}) / 4096 * 4096;
}

CurveKey WideKey(Access access) {
  return {access, Pattern::kStrided, 1, microbenchmark::WidestVector()};
}

// A loop of that name over `memory` that counts bytes. It owns its state.
Result<Loop> NamedLoop(std::string_view name, std::span<std::byte> memory, unsigned line_bytes) {
  if (name == "load" || name == "store") {
    const CurveKey key = WideKey(name == "load" ? Access::kLoad : Access::kStore);
    TRY(auto loop, MemoryLoop::Over(key, memory, line_bytes));
    return [loop, key](std::uint64_t bytes) mutable {
      return loop.Run(bytes / key.element_bytes + 1) * key.element_bytes;
    };
  }
  const auto streams = microbenchmark::Streams();
  const auto stream = std::ranges::find(streams, name, &microbenchmark::Stream::name);
  const auto arrays = ArraysIn(memory);
  if (stream == streams.end() || !arrays) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("this processor has no loop for the stream '{}'", name));
  }
  return [stream = *stream, arrays = *arrays](std::uint64_t bytes) {
    return StreamLoop(stream, arrays)(bytes);
  };
}

// The work of one core in the stages of MeasureCores.
struct CoreWork {
  std::optional<Buffer> buffer;
  std::array<Loop, kStreamNames.size()> loops;
  std::vector<double> rates;  // one per stage
};

Result<void> Prepare(CoreWork& work, std::uint64_t bytes, const BandwidthConfig& config) {
  TRY(auto buffer, Buffer::Make(bytes, config.pages));
  for (std::size_t i = 0; i < kStreamNames.size(); ++i) {
    TRY(work.loops[i], NamedLoop(kStreamNames[i], buffer.bytes(), config.line_bytes));
  }
  work.buffer = std::move(buffer);
  return {};
}

double RateFor(double wanted_seconds, const Loop& loop) {
  const double start = Now();
  double end = start;
  std::uint64_t done = 0;
  while (end - start < wanted_seconds) {
    done += loop(std::uint64_t{1} << 20);
    end = Now();
  }
  return static_cast<double>(done) / (end - start);
}

// Bytes per second of all cores together, for all streams in turn, repeated `rounds` times.
Result<std::vector<double>> TogetherRates(std::span<const unsigned> cores, std::size_t rounds,
                                          const BandwidthConfig& config) {
  std::vector<CoreWork> works(cores.size());
  std::mutex mutex;
  std::optional<Error> error;
  const std::uint64_t bytes = BytesPerCore(config, cores.size());
  const std::size_t stages = rounds * kStreamNames.size();
  RunOnCores(
      cores, stages,
      [&](std::size_t i) {
        works[i].rates.resize(stages, 0);
        if (const auto prepared = Prepare(works[i], bytes, config); !prepared) {
          const std::scoped_lock lock(mutex);
          error = prepared.error();
        }
      },
      [&](std::size_t i, std::size_t stage) {
        if (!works[i].buffer) return;
        works[i].rates[stage] =
            RateFor(kTogetherSeconds, works[i].loops[stage % kStreamNames.size()]);
      });
  if (error) return std::unexpected(*error);
  std::vector<double> sums(stages, 0);
  for (const CoreWork& work : works) {
    for (std::size_t i = 0; i < stages; ++i) sums[i] += work.rates[i];
  }
  return sums;
}

struct Loaded {
  double bandwidth;  // of the loading cores
  double latency;
};

void Pause(double seconds) {
  const double until = Now() + seconds;
  while (Now() < until) {
  }
}

// Loads until `stop` is set; returns bytes per second.
double LoadAt(double pause, Loop& loop, const std::atomic<bool>& stop) {
  const double start = Now();
  std::uint64_t done = 0;
  while (!stop.load(std::memory_order_relaxed)) {
    if (pause < 0) {
      Pause(1e-5);
      continue;
    }
    done += loop(kBurstBytes);
    if (pause > 0) Pause(pause);
  }
  return static_cast<double>(done) / (Now() - start);
}

class LoadedSurvey {
 public:
  static Result<LoadedSurvey> Make(const BandwidthConfig& config, std::uint64_t seed) {
    LoadedSurvey survey(config);
    const std::size_t cores = config.cores.size();
    for (std::size_t i = 0; i < cores; ++i) {
      const std::uint64_t bytes = BytesPerCore(config, i == 0 ? 1 : cores);
      TRY(auto buffer, Buffer::Make(bytes, config.pages));
      survey.buffers_.push_back(std::move(buffer));
    }
    const auto chased = survey.buffers_.front().bytes();
    microbenchmark::Ring(chased, config.line_bytes, seed).GrowTo(chased.size() / config.line_bytes);
    TRY(survey.chase_,
        MemoryLoop::Over({Access::kLoad, Pattern::kChained, 1, 8}, chased, config.line_bytes));
    for (std::size_t i = 1; i < config.cores.size(); ++i) {
      TRY(auto loop, NamedLoop("load", survey.buffers_[i].bytes(), config.line_bytes));
      survey.loops_.push_back(std::move(loop));
    }
    return survey;
  }

  Loaded Sample(double pause) {
    std::atomic<bool> stop = false;
    std::vector<double> bandwidths(config_.cores.size(), 0);
    double rate = 0;
    RunOnCores(
        config_.cores, 1, [](std::size_t) {},
        [&](std::size_t i, std::size_t) {
          if (i > 0) {
            bandwidths[i] = LoadAt(pause, loops_[i - 1], stop);
            return;
          }
          rate = SampleRate([this](std::uint64_t count) { return chase_->Run(count); },
                            {kTogetherSeconds / 10, 10}, 0);
          stop = true;
        });
    double sum = 0;
    for (const double bandwidth : bandwidths) sum += bandwidth;
    return {sum, 1 / rate};
  }

 private:
  explicit LoadedSurvey(const BandwidthConfig& config) : config_(config) {}

  const BandwidthConfig& config_;
  std::vector<Buffer> buffers_;
  std::vector<Loop> loops_;
  std::optional<MemoryLoop> chase_;
};

machine_profile::Graph CoresGraph(std::string_view stream, const BandwidthConfig& config,
                                  const std::map<std::string, Samples>& named) {
  machine_profile::Graph graph{
      fmt::format("{} bandwidth by cores", stream), "cores", "", "B/s", {}};
  for (const std::size_t count : CoreCounts(config.cores.size())) {
    if (const auto found = named.find(CoresKey(stream, count)); found != named.end()) {
      graph.points.push_back({static_cast<double>(count), FigureOf(found->second)});
    }
  }
  return graph;
}

machine_profile::Graph LoadedGraph(const std::map<std::string, Samples>& named) {
  machine_profile::Graph graph{"latency under load", "bandwidth", "B/s", "s", {}};
  for (std::size_t pace = 0; pace < kPauses.size(); ++pace) {
    const auto x = named.find(LoadedKey(pace, "bandwidth"));
    const auto y = named.find(LoadedKey(pace, "latency"));
    if (x == named.end() || y == named.end()) continue;
    graph.points.push_back({FigureOf(x->second).Value(), FigureOf(y->second)});
  }
  std::ranges::sort(graph.points, {}, &machine_profile::GraphPoint::x);
  return graph;
}

}  // namespace

std::vector<std::size_t> CoreCounts(std::size_t cores) {
  std::vector<std::size_t> counts;
  for (std::size_t count = 1; count < cores; count *= 2) counts.push_back(count);
  counts.push_back(cores);
  return counts;
}

Result<void> MeasureCores(const BandwidthConfig& config, std::map<std::string, Samples>& named,
                          const Progress& progress) {
  const auto counts = CoreCounts(config.cores.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const std::size_t count = counts[i];
    if (!named[CoresKey(kStreamNames.back(), count)].values.empty()) continue;
    if (!progress(static_cast<double>(i) / static_cast<double>(counts.size()),
                  fmt::format("{} cores at once", count))) {
      return Stopped();
    }
    TRY(const auto sums,
        TogetherRates(std::span(config.cores).first(count), config.rounds, config));
    for (std::size_t stage = 0; stage < sums.size(); ++stage) {
      named[CoresKey(kStreamNames[stage % kStreamNames.size()], count)].values.push_back(
          sums[stage]);
    }
  }
  return {};
}

Result<void> MeasureLoaded(const BandwidthConfig& config, std::map<std::string, Samples>& named,
                           const Progress& progress) {
  if (config.cores.size() < 2) return {};
  TRY(auto survey, LoadedSurvey::Make(config, config.seed));
  for (std::size_t round = 0; round < config.rounds; ++round) {
    for (std::size_t pace = 0; pace < kPauses.size(); ++pace) {
      Samples& latency = named[LoadedKey(pace, "latency")];
      if (latency.values.size() >= config.rounds) continue;
      if (!progress(static_cast<double>(round) / static_cast<double>(config.rounds),
                    "latency under load")) {
        return Stopped();
      }
      const Loaded loaded = survey.Sample(kPauses[pace]);
      latency.values.push_back(loaded.latency);
      named[LoadedKey(pace, "bandwidth")].values.push_back(loaded.bandwidth);
    }
  }
  return {};
}

std::vector<machine_profile::Graph> BandwidthGraphs(const BandwidthConfig& config,
                                                    const std::map<std::string, Samples>& named) {
  std::vector<machine_profile::Graph> graphs;
  for (const std::string_view stream : kStreamNames) {
    auto graph = CoresGraph(stream, config, named);
    if (!graph.points.empty()) graphs.push_back(std::move(graph));
  }
  auto loaded = LoadedGraph(named);
  if (!loaded.points.empty()) graphs.push_back(std::move(loaded));
  return graphs;
}

}  // namespace tare::survey
