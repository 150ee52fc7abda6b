// bandwidth_streams.cc: copy, triad and streaming stores on one core, per level.
#include <fmt/format.h>

#include <algorithm>

#include "base/stop.h"
#include "machine/microbenchmark/streams.h"
#include "machine/survey/bandwidth.h"
#include "machine/survey/stream_arrays.h"
#include "machine/survey/timing.h"

namespace tare::survey {
namespace {

using microbenchmark::Stream;

constexpr SliceConfig kStreamSlices = {4e-4, 5};
constexpr std::uint64_t kMinFar = 128 << 20;

std::string KeyOf(const Stream& stream, const machine_profile::Level& level) {
  return fmt::format("{} {}", stream.name, level.name);
}

bool IsMemory(const BandwidthConfig& config, const machine_profile::Level& level) {
  return &level == &config.levels.back();
}

// Streaming stores bypass the caches, so they have a single rate.
bool Wanted(const BandwidthConfig& config, const Stream& stream,
            const machine_profile::Level& level) {
  return !stream.name.ends_with("streaming") || IsMemory(config, level);
}

std::uint64_t BytesAt(const BandwidthConfig& config, const machine_profile::Level& level) {
  return IsMemory(config, level) ? config.max_bytes : std::min(level.bytes / 2, config.max_bytes);
}

}  // namespace

Result<void> MeasureStreams(const BandwidthConfig& config, std::map<std::string, Samples>& named,
                            const Progress& progress) {
  const auto streams = microbenchmark::Streams();
  TRY(const auto buffer,
      microbenchmark::Buffer::Make(BytesAt(config, config.levels.back()), config.pages));
  for (std::size_t round = 0; round < config.rounds; ++round) {
    if (!progress(static_cast<double>(round) / static_cast<double>(config.rounds), "streams")) {
      return Stopped();
    }
    for (const machine_profile::Level& level : config.levels) {
      const auto arrays = ArraysIn(buffer.bytes().first(BytesAt(config, level)));
      if (!arrays) continue;
      for (const Stream& stream : streams) {
        if (!Wanted(config, stream, level)) continue;
        Samples& samples = named[KeyOf(stream, level)];
        if (samples.values.size() >= config.rounds) continue;
        stream.run(*arrays);
        const double guess = samples.values.empty() ? 0 : samples.values.back();
        samples.values.push_back(SampleRate(StreamLoop(stream, *arrays), kStreamSlices, guess));
      }
    }
  }
  return {};
}

std::vector<machine_profile::Rate> StreamRates(const BandwidthConfig& config,
                                               const std::map<std::string, Samples>& named) {
  std::vector<machine_profile::Rate> rates;
  for (const Stream& stream : microbenchmark::Streams()) {
    for (const machine_profile::Level& level : config.levels) {
      const auto found = named.find(KeyOf(stream, level));
      if (found == named.end() || !Wanted(config, stream, level)) continue;
      rates.push_back({found->first, "B/s", FigureOf(found->second),
                       fmt::format("bytes loaded and stored on one core, arrays of {} KiB in total",
                                   BytesAt(config, level) >> 10)});
    }
  }
  return rates;
}

}  // namespace tare::survey
