// mixed.cc: mixed loops at each level of memory, and what follows from their times.
#include "machine/survey/mixed.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <span>

#include "base/stop.h"
#include "machine/microbenchmark/mixed_loop.h"
#include "machine/survey/timing.h"
#include "stats/summary.h"

namespace tare::survey {
namespace {

using microbenchmark::LineLoop;

constexpr SliceConfig kMixedSlices = {4e-4, 5};
constexpr std::string_view kMixedName = "mixed instructions";
constexpr std::string_view kLoadsWithStores = "loads with stores";
constexpr std::string_view kForwarding = "store forwarding";
// A set that the first cache of every processor holds.
constexpr std::uint64_t kNearBytes = 4096;
// The loop whose arithmetic takes about as long as its memory says most; others say little.
constexpr double kBalanced = 4;

std::string LineKey(const LineLoop& loop, std::string_view level) {
  return fmt::format("lines {} {} {}", loop.random ? "random" : "stream", loop.additions, level);
}

// A power of two, well beyond the nearer cache; 0 if there is none within the level.
std::uint64_t SetIn(const BandwidthConfig& config, std::size_t index) {
  const std::uint64_t nearer = config.levels[index - 1].bytes;
  const bool memory = index + 1 == config.levels.size();
  const std::uint64_t set = std::bit_floor(
      memory ? config.max_bytes : std::min(config.levels[index].bytes * 3 / 4, config.max_bytes));
  return set >= 2 * nearer ? set : 0;
}

void AddMixedSample(Samples& samples, const BandwidthConfig& config, const Loop& loop) {
  if (samples.values.size() >= config.rounds) return;
  const double guess = samples.values.empty() ? 0 : samples.values.back();
  samples.values.push_back(SampleRate(loop, kMixedSlices, guess));
}

Loop LinesOf(const LineLoop& loop, std::span<const std::byte> set) {
  return [&loop, set](std::uint64_t lines) {
    loop.run(set.data(), set.size() - 64, std::max<std::uint64_t>(lines, 1));
    return std::max<std::uint64_t>(lines, 1);
  };
}

std::optional<Measured> LineSeconds(const std::map<std::string, Samples>& named,
                                    const std::string& key) {
  const auto found = named.find(key);
  if (found == named.end() || found->second.values.empty()) return std::nullopt;
  const Measured rate = FigureOf(found->second);
  return rate.Value() > 0 ? std::optional(Inverse(rate)) : std::nullopt;
}

// A rate of a profile is above 0.
double Positive(double overlap) { return std::max(overlap, 0.01); }

// The overlap of one pattern in one level, from the amount of arithmetic that is nearest to the
// time of the memory.
std::optional<Measured> OverlapAt(const std::map<std::string, Samples>& named, bool random,
                                  std::string_view level) {
  std::optional<Measured> overlap;
  double nearest = std::log(kBalanced);
  const auto loops = microbenchmark::LineLoops();
  const auto plain = std::ranges::find_if(loops, [random](const LineLoop& loop) {
    return loop.random == random && loop.additions == 0;
  });
  const auto memory = LineSeconds(named, LineKey(*plain, level));
  if (!memory) return std::nullopt;
  for (const LineLoop& loop : loops) {
    if (loop.random != random || loop.additions == 0) continue;
    const auto arithmetic = LineSeconds(named, LineKey(loop, "near"));
    const auto both = LineSeconds(named, LineKey(loop, level));
    if (!arithmetic || !both) continue;
    const double balance = std::abs(std::log(memory->Value() / arithmetic->Value()));
    if (balance > nearest) continue;
    nearest = balance;
    const double middle = Overlap(memory->Value(), arithmetic->Value(), both->Value());
    const double low = Overlap(memory->Low(), arithmetic->Low(), both->High());
    const double high = Overlap(memory->High(), arithmetic->High(), both->Low());
    overlap = Between(Positive(middle), Positive(std::min(low, middle)),
                      Positive(std::max(high, middle)), machine_profile::kConfidence);
  }
  return overlap;
}

constexpr std::string_view kOverlapText =
    "share of the shorter of memory time and arithmetic time that the longer one hides; ";

void AddOverlapRates(const BandwidthConfig& config, const std::map<std::string, Samples>& named,
                     std::vector<machine_profile::Rate>& rates) {
  std::vector<double> all;
  std::vector<machine_profile::Rate> of_levels;
  for (std::size_t i = 1; i < config.levels.size(); ++i) {
    const std::string& level = config.levels[i].name;
    for (const bool random : {false, true}) {
      const auto overlap = OverlapAt(named, random, level);
      if (!overlap) continue;
      all.push_back(overlap->Value());
      const std::string_view pattern = random ? "random" : "stream";
      of_levels.push_back({fmt::format("overlap {} {}", level, pattern), "", *overlap,
                           fmt::format("{}lines of {}, {}, with integer additions", kOverlapText,
                                       level, random ? "at random" : "in order")});
    }
  }
  if (const auto summary = stats::Summarize(all)) {
    rates.push_back(
        {"overlap", "",
         Between(Positive(summary->median), Positive(summary->minimum), Positive(summary->maximum),
                 machine_profile::kConfidence),
         fmt::format("{}median, minimum and maximum of {} loops: streams and random lines of each "
                     "level with integer additions",
                     kOverlapText, all.size())});
  }
  rates.insert(rates.end(), of_levels.begin(), of_levels.end());
}

}  // namespace

double Overlap(double memory, double arithmetic, double both) {
  const double shorter = std::min(memory, arithmetic);
  if (!(shorter > 0)) return 0;
  return std::clamp((memory + arithmetic - both) / shorter, 0.0, 1.0);
}

Result<void> MeasureMixed(const BandwidthConfig& config, std::map<std::string, Samples>& named,
                          const Progress& progress) {
  std::uint64_t bytes = kNearBytes;
  for (std::size_t i = 1; i < config.levels.size(); ++i) bytes = std::max(bytes, SetIn(config, i));
  TRY(const auto buffer, microbenchmark::Buffer::Make(bytes, config.pages));
  const auto all = buffer.bytes();
  const auto& mix = microbenchmark::MixedInstructions();
  const auto& accesses = microbenchmark::LoadsWithStores();
  const auto& chain = microbenchmark::StoreForwarding();
  for (std::size_t round = 0; round < config.rounds; ++round) {
    if (!progress(static_cast<double>(round) / static_cast<double>(config.rounds),
                  "mixed instructions")) {
      return Stopped();
    }
    AddMixedSample(named[std::string(kMixedName)], config, [&](std::uint64_t count) {
      const std::uint64_t iterations = count / mix.instructions + 1;
      mix.run(all.data(), iterations);
      return iterations * mix.instructions;
    });
    AddMixedSample(named[std::string(kLoadsWithStores)], config, [&](std::uint64_t count) {
      const std::uint64_t each = accesses.row.loads + accesses.row.stores;
      const std::uint64_t iterations = count / each + 1;
      accesses.run(all.data(), iterations);
      return iterations * each;
    });
    AddMixedSample(named[std::string(kForwarding)], config, [&](std::uint64_t count) {
      const std::uint64_t iterations = count / chain.links + 1;
      chain.run(all.data(), iterations);
      return iterations * chain.links;
    });
    for (const LineLoop& loop : microbenchmark::LineLoops()) {
      AddMixedSample(named[LineKey(loop, "near")], config, LinesOf(loop, all.first(kNearBytes)));
      for (std::size_t i = 1; i < config.levels.size(); ++i) {
        const std::uint64_t set = SetIn(config, i);
        if (set == 0) continue;
        const auto run = LinesOf(loop, all.first(set));
        // Caches must contain what they will.
        if (i + 1 < config.levels.size()) run(set / 64);
        AddMixedSample(named[LineKey(loop, config.levels[i].name)], config, run);
      }
    }
  }
  return {};
}

std::vector<machine_profile::Rate> MixedRates(const BandwidthConfig& config,
                                              const std::map<std::string, Samples>& named) {
  std::vector<machine_profile::Rate> rates;
  if (const auto found = named.find(std::string(kMixedName)); found != named.end()) {
    rates.push_back({std::string(kMixedName), "op/s", FigureOf(found->second),
                     "independent additions, moves, loads, stores and branches that are not taken, "
                     "in about the proportions of compiled integer code"});
  }
  if (const auto found = named.find(std::string(kLoadsWithStores)); found != named.end()) {
    rates.push_back({std::string(kLoadsWithStores), "op/s", FigureOf(found->second),
                     "two loads for each store, all hits of the first cache"});
  }
  if (const auto found = named.find(std::string(kForwarding)); found != named.end()) {
    rates.push_back({fmt::format("{} latency", kForwarding), "s", Inverse(FigureOf(found->second)),
                     "a store and a load of the same place, each with the value of the other"});
  }
  AddOverlapRates(config, named, rates);
  return rates;
}

}  // namespace tare::survey
